import type { PostMark, UserMark } from '../dataset/entries.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { activeUser, isBlocked } from '../dataset/visibility.ts';
import { requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { badRequest } from '../refusal.ts';
import { checkValue, idPattern } from './request.ts';
import { checkOwn, found, postOf, userOperation, type WriteCall } from './write.ts';

interface Mark {
  /** The operationIds in X's document. */
  readonly ids: readonly [set: string, clear: string];
  /** The part of the path after the user. */
  readonly part: string;
  /** The member of the answer. */
  readonly done: string;
  readonly kinds: readonly [set: PostMark, clear: PostMark];
  readonly of: (actor: User) => { has(tweet: SandboxTweet): boolean };
  /** The variable of the path with the post. */
  readonly variable?: string;
  readonly check?: (actor: User, tweet: SandboxTweet) => void;
  /** Returns more members of the answer to a mark that is set. */
  readonly more?: (actor: User, tweet: SandboxTweet) => object;
}

/** Declares the writes that add a mark to a post and remove it. Repeating one changes nothing. */
function mark({ ids, part, done, kinds, of, variable = 'tweet_id', check, more }: Mark): readonly XOperation[] {
  const path = `/2/users/{id}/${part}`;
  const set = (call: WriteCall, tweet: SandboxTweet, holds: boolean) => {
    const { state, actor } = call;
    if (holds) check?.(actor, tweet);
    if (of(actor).has(tweet) !== holds) {
      state.commit({ kind: kinds[holds ? 0 : 1], user: actor.id, tweet: tweet.id, at: state.now() });
      if (kinds[0] === 'like' && holds) state.stats.likes++;
    }
    return { data: { [done]: holds, ...(holds && more?.(actor, tweet)) } };
  };
  return [
    userOperation(ids[0], 'POST', path, {
      names: ['tweet_id'],
      run(call) {
        checkOwn(call);
        return set(call, postOf(call, 'tweet_id', requiredString(call.body, 'tweet_id')), true);
      },
    }),
    userOperation(ids[1], 'DELETE', `${path}/{${variable}}`, {
      run(call) {
        checkOwn(call);
        return set(call, postOf(call, variable, call.target), false);
      },
    }),
  ];
}

/** A repost would show the post to users whom the author has not accepted as followers. */
function checkRepost(actor: User, { author }: SandboxTweet): void {
  if (author.protected && author !== actor) throw new Problem(403, 'forbidden', 'A protected post cannot be reposted.');
}

interface Relate {
  readonly ids: readonly [set: string, clear: string];
  readonly part: string;
  /** What the actor does, for messages. */
  readonly verb: string;
  /** Commits the change if there is one, and returns the data of the answer. */
  readonly set: (call: WriteCall, target: User, holds: boolean) => object;
}

/** Declares the writes that add a relation of the actor to another user and remove it. Repeating one changes nothing. */
function relate({ ids, part, verb, set }: Relate): readonly XOperation[] {
  const path = `/2/users/{id}/${part}`;
  const run = (call: WriteCall, id: string, holds: boolean) => {
    checkOwn(call);
    checkValue('target_user_id', id, idPattern);
    const { users } = call.state.dataset;
    const target = found('user', 'target_user_id', id, () => activeUser(users.get(id), id));
    if (target === call.actor) throw badRequest('target_user_id', `You cannot ${verb} yourself`);
    return { data: set(call, target, holds) };
  };
  return [
    userOperation(ids[0], 'POST', path, {
      names: ['target_user_id'],
      run: (call) => run(call, requiredString(call.body, 'target_user_id'), true),
    }),
    userOperation(ids[1], 'DELETE', `${path}/{target_user_id}`, {
      run: (call) => run(call, call.target, false),
    }),
  ];
}

function commit({ state, actor }: WriteCall, kind: UserMark, target: User): void {
  state.commit({ kind, user: actor.id, target: target.id, at: state.now() });
}

/** A protected user gets a follow request, which waits until it is accepted or withdrawn. */
function setFollow(call: WriteCall, target: User, holds: boolean): object {
  const { actor } = call;
  const follows = actor.following.has(target) || actor.requested.has(target);
  if (holds && isBlocked(actor, target))
    throw new Problem(403, 'forbidden', 'You have been blocked from following this account, or you block it.');
  if (holds !== follows) commit(call, holds ? (target.protected ? 'request_follow' : 'follow') : 'unfollow', target);
  const following = actor.following.has(target);
  return holds ? { following, pending_follow: actor.requested.has(target) } : { following };
}

const setIn =
  (of: (actor: User) => ReadonlySet<User>, kinds: readonly [UserMark, UserMark], done: string) =>
  (call: WriteCall, target: User, holds: boolean) => {
    if (of(call.actor).has(target) !== holds) commit(call, kinds[holds ? 0 : 1], target);
    return { [done]: holds };
  };

/** The writes of X's API about relations of the actor to posts and users. X describes those of blocks for Enterprise plans only. */
export const writeOperations: readonly XOperation[] = [
  ...mark({
    ids: ['likePost', 'unlikePost'],
    part: 'likes',
    done: 'liked',
    kinds: ['like', 'unlike'],
    of: (actor) => actor.liked,
  }),
  ...mark({
    ids: ['createUsersBookmark', 'deleteUsersBookmark'],
    part: 'bookmarks',
    done: 'bookmarked',
    kinds: ['bookmark', 'unbookmark'],
    of: (actor) => actor.bookmarked,
  }),
  ...mark({
    ids: ['repostPost', 'unrepostPost'],
    part: 'retweets',
    done: 'retweeted',
    kinds: ['retweet', 'unretweet'],
    of: (actor) => actor.retweeted,
    variable: 'source_tweet_id',
    check: checkRepost,
    more: (actor, tweet) => ({ rest_id: actor.retweeted.get(tweet)?.id }),
  }),
  ...relate({ ids: ['followUser', 'unfollowUser'], part: 'following', verb: 'follow', set: setFollow }),
  ...relate({
    ids: ['blockUser', 'unblockUser'],
    part: 'blocking',
    verb: 'block',
    set: setIn(({ blocked }) => blocked, ['block', 'unblock'], 'blocking'),
  }),
  ...relate({
    ids: ['muteUser', 'unmuteUser'],
    part: 'muting',
    verb: 'mute',
    set: setIn(({ muted }) => muted, ['mute', 'unmute'], 'muting'),
  }),
];
