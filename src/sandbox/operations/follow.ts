import { userJson } from '../dataset/render.ts';
import type { User } from '../dataset/types.ts';
import type { ActorCall } from '../http/operation.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { ofUser } from './user-target.ts';

/**
 * Follows a user. For a protected user this only sends a follow request, which waits until the user accepts it or the
 * actor withdraws it.
 */
export const followUser = ofUser(
  'followUser',
  'PUT',
  'follow',
  {
    summary:
      'Follows a user. A protected user gets a follow request, and `follow_requested` is true until the request is accepted or withdrawn. Repeating it changes nothing. Following oneself is `bad_request` 400 with field `id`. Problems as in userById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Followed' },
  },
  (call, target) => {
    const { platform, actor } = call;
    if (target === actor) throw badRequest('id', 'Nobody can follow themselves');
    if (!actor.following.has(target) && !actor.requested.has(target)) {
      const kind = target.protected ? 'request_follow' : 'follow';
      platform.commit({ kind, user: actor.id, target: target.id, at: platform.now() });
    }
    return followState(call, target);
  },
);

/** Unfollows a user, or withdraws a pending follow request. */
export const unfollowUser = ofUser(
  'unfollowUser',
  'DELETE',
  'follow',
  {
    summary:
      'Unfollows a user, or withdraws a follow request. Repeating it changes nothing. Problems as in followUser.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Followed' },
  },
  (call, target) => {
    const { platform, actor } = call;
    if (target === actor) throw badRequest('id', 'Nobody can follow themselves');
    if (actor.following.has(target) || actor.requested.has(target)) {
      platform.commit({ kind: 'unfollow', user: actor.id, target: target.id, at: platform.now() });
    }
    return followState(call, target);
  },
);

function followState({ platform, actor }: ActorCall, target: User): SandboxResponse {
  return jsonText(
    `{"user":${userJson(platform.dataset, target, actor)},"following":${actor.following.has(
      target,
    )},"follow_requested":${actor.requested.has(target)}}`,
  );
}
