import type { Dataset } from '../dataset/dataset.ts';
import { activeUser } from '../dataset/visibility.ts';
import { requiredString } from '../fields.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { notFound } from '../refusal.ts';

/** Accepts a follow request on behalf of a protected user. */
export const acceptFollowRequest: ControlOperation = {
  id: 'acceptFollowRequest',
  method: 'POST',
  path: '/control/follow-requests/accept',
  access: 'control',
  handle({ platform, body }) {
    const target = userOf(platform.dataset, requiredString(body, 'target'));
    const follower = userOf(platform.dataset, requiredString(body, 'follower'));
    if (!follower.requested.has(target)) throw notFound('follow_request', follower.id);
    platform.commit({ kind: 'follow', user: follower.id, target: target.id, at: platform.now() });
    return json({ target: target.id, follower: follower.id, accepted: true });
  },
};

/** Finds a user by id or by screen name. Ids take precedence, because a screen name may consist of digits only. */
function userOf(dataset: Dataset, asked: string) {
  return activeUser(dataset.users.get(asked) ?? dataset.userNamed(asked), asked);
}
