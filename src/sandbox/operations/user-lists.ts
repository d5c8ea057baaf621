import type { Relation } from '../dataset/relation.ts';
import { usersJson } from '../dataset/render.ts';
import { reversed } from '../dataset/timelines.ts';
import type { User } from '../dataset/types.ts';
import { checkShownTo, isActive } from '../dataset/visibility.ts';
import type { ActorCall } from '../http/operation.ts';
import { type PagedResult, pageResponse, pagingOf, takePage } from '../http/paged.ts';
import type { SandboxResponse } from '../http/response.ts';
import { listOfUser, targetHead, viewerHead } from './user-target.ts';

export const followersOperation = listOfUser(
  'followers',
  'followers',
  'UserPage',
  'The followers of a user, the newest follow first. The list of a protected user is for its followers only: `protected` 403. Problems as in userById.',
  (call, target) => related(call, 'followers', target, target.followers),
);

export const followingOperation = listOfUser(
  'following',
  'following',
  'UserPage',
  'The users whom a user follows, the newest follow first. Problems as in followers.',
  (call, target) => related(call, 'following', target, target.following),
);

/** The followers of the target whom the actor follows. */
export const knownFollowers = listOfUser(
  'knownFollowers',
  'known-followers',
  'KnownFollowersPage',
  'The followers of a user whom the actor follows too, the newest follow first. Problems as in followers.',
  (call, target) => {
    const { actor } = call;
    const known = (user: User) => actor.following.has(user);
    return related(call, 'known-followers', target, target.followers, viewerHead(actor), known);
  },
);

export const affiliatesOperation = listOfUser(
  'affiliates',
  'affiliates',
  'UserPage',
  'The accounts affiliated with a verified organization, the latest first. The list of any other user is empty. Problems as in userById.',
  (call, target) => {
    const paging = pagingOf(call, 'affiliates', target.id);
    const all = call.platform.dataset.affiliates.get(target) ?? [];
    const page = takePage(reversed(all, numberOf(paging.after)), paging.count, isActive);
    return usersAnswer(call, targetHead(target), page, paging.seal(page.next));
  },
);

function related(
  call: ActorCall,
  list: string,
  target: User,
  relation: Relation<User>,
  head = '',
  shown: (user: User) => boolean = () => true,
): SandboxResponse {
  checkShownTo(call.actor, target);
  const paging = pagingOf(call, list, target.id);
  const page = takePage(relation.newestFirst(numberOf(paging.after)), paging.count, shown);
  return usersAnswer(call, targetHead(target) + head, page, paging.seal(page.next));
}

/**
 * Parses the position in a numbered list. Only cursors sealed by this sandbox reach this function, so the position is a
 * number.
 */
export function numberOf(position: string | undefined): number | undefined {
  return position === undefined ? undefined : Number(position);
}

export function usersAnswer(
  { platform, actor }: ActorCall,
  head: string,
  page: PagedResult<User>,
  cursor: string | null,
) {
  return pageResponse(head, 'users', usersJson(platform.dataset, page.items, actor), cursor);
}
