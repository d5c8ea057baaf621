import { answers, closed, ref, takes } from '../contract/schema.ts';
import { json } from '../http/answer.ts';
import { requiredString } from '../http/input.ts';
import type { OpenOperation } from '../http/operation.ts';
import { notFound } from '../http/problem.ts';
import { activeUser } from '../world/look-up.ts';
import type { World } from '../world/world.ts';

/** Stands for the protected user, who would accept it. */
export const acceptFollowRequest: OpenOperation = {
  id: 'acceptFollowRequest',
  method: 'POST',
  path: '/control/follow-requests/accept',
  access: 'control',
  contract: {
    summary:
      'Accepts, for a protected user, the request of another to follow. Where there is none: `not_found` 404 with resource `follow_request`.',
    body: takes(
      {
        type: 'object',
        required: ['target', 'follower'],
        properties: {
          target: { type: 'string', description: 'Who was asked: a user id or a screen name.' },
          follower: { type: 'string', description: 'Who asked: a user id or a screen name.' },
        },
      },
      { target: 'linus', follower: 'ada' },
    ),
    responses: {
      200: answers(
        'Done; the ids of both.',
        closed({ target: ref('Id'), follower: ref('Id'), accepted: { const: true } }),
      ),
    },
  },
  handle({ platform, body }) {
    const target = userOf(platform.world, requiredString(body, 'target'));
    const follower = userOf(platform.world, requiredString(body, 'follower'));
    if (!follower.requested.has(target)) throw notFound('follow_request', follower.id);
    platform.commit({ kind: 'follow', user: follower.id, target: target.id, at: platform.now() });
    return json({ target: target.id, follower: follower.id, accepted: true });
  },
};

/** By id or by screen name. An id is looked for first: a name may be digits too. */
function userOf(world: World, asked: string) {
  return activeUser(world.users.get(asked) ?? world.userNamed(asked), asked);
}
