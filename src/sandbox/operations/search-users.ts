import { isActive } from '../dataset/visibility.ts';
import { jsonResponse, pageOf } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { badRequest } from '../refusal.ts';
import { termsOf } from '../search/match.ts';
import { searchUsers } from '../search/users.ts';
import { usersAnswer } from './user-lists.ts';

const MAX_QUERY_LENGTH = 512;

export const searchUsersOperation: ActorOperation = {
  id: 'searchUsers',
  method: 'GET',
  path: '/api/search/users',
  access: 'actor',
  contract: {
    summary: 'Searches users by name, the best match first.',
    description:
      'Each word of the query must be a prefix of a word in the screen name, the name or the description (case-insensitive). The order is: the user whose screen name is the query, users whose screen name or name matches, users whose description matches; within each group, the oldest account first.',
    parameters: [
      {
        name: 'q',
        in: 'query',
        required: true,
        schema: { type: 'string', minLength: 1, maxLength: MAX_QUERY_LENGTH },
        example: 'grace',
      },
      'Count',
      'Cursor',
    ],
    responses: { 200: jsonResponse('A page.', pageOf('users', 'User')) },
  },
  handle(call) {
    const text = (call.query.get('q') ?? '').trim();
    if (text.length > MAX_QUERY_LENGTH) throw badRequest('q', `q is longer than ${MAX_QUERY_LENGTH} characters`);
    const words = termsOf(text);
    if (words.length === 0) throw badRequest('q', 'holds nothing to search for: give a name or a word');
    const paging = pagingOf(call, 'search-users', text);
    const page = takePage(searchUsers(call.platform.dataset, words, paging.after), paging.count, isActive);
    return usersAnswer(call, '', page, paging.seal(page.next));
  },
};
