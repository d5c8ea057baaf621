import { reversed } from '../dataset/timelines.ts';
import { isActive } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { notFound } from '../refusal.ts';
import { numberOf, usersAnswer } from './user-lists.ts';

export const listMembersOperation: ActorOperation = {
  id: 'listMembers',
  method: 'GET',
  path: '/api/lists/{id}/members',
  access: 'actor',
  contract: {
    summary: 'The members of a list, the latest first. Problems: `not_found` 404 with resource `list`.',
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'MemberPage' },
  },
  handle(call) {
    const asked = call.params['id'] ?? '';
    const list = call.platform.dataset.lists.get(asked);
    if (list === undefined) throw notFound('list', asked);
    const paging = pagingOf(call, 'members', list.id);
    const page = takePage(reversed(list.members, numberOf(paging.after)), paging.count, isActive);
    const head = `"list":${JSON.stringify({ id: list.id, name: list.name })},`;
    return usersAnswer(call, head, page, paging.seal(page.next));
  },
};
