import type { ActivityEvent, ActivityType } from '../dataset/activity.ts';
import { extractEntities } from '../dataset/entities.ts';
import type { Entry } from '../dataset/entries.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { checkText } from '../dataset/tweet-text.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { hiddenFrom, isBlocked } from '../dataset/visibility.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest, Refusal } from '../refusal.ts';

/** A request to create events in the activity feed of an account. */
export interface EventRequest {
  readonly type: ActivityType;
  readonly target: User;
  readonly count: number;
  /** The user who acts. Default: users without credentials, in turn. */
  readonly actor?: User | undefined;
  /** The target's tweet that the events are about. Default: the latest one. */
  readonly tweet?: SandboxTweet | undefined;
  readonly text?: string | undefined;
  /** Set if the activity simulator creates the event, and no call requested it. */
  readonly unasked?: true;
}

const written = new Set<ActivityType>(['reply', 'quote', 'mention']);

/** Makes users perform actions on the target. Returns the events that appear in the target's activity feed. */
export function createEvents(platform: SandboxState, wish: EventRequest): ActivityEvent[] {
  const { target, count } = wish;
  const { activity } = platform.dataset;
  const tweet = subjectOf(wish);
  const performers = chooseActors(platform, wish, tweet);
  const rounds = Math.ceil(count / performers.length);
  if (wish.text !== undefined) {
    checkText(textOf(platform, wish, rounds), { premium: performers.every((user) => user.premium) });
  }
  const before = activity.lastId;
  for (let turn = 0; turn < count; turn++) {
    const user = performers[turn % performers.length];
    if (user === undefined) break;
    perform(platform, wish, user, tweet, Math.floor(turn / performers.length) + 1);
  }
  return Array.from(activity.since(target, before, platform.now()).events, ([event]) => event);
}

function subjectOf({ type, target, tweet }: EventRequest): SandboxTweet | undefined {
  if (type === 'mention' || type === 'follow') return undefined;
  if (tweet !== undefined) return tweet;
  const latest = target.tweets.findLast((own) => !own.deleted);
  if (latest !== undefined) return latest;
  throw badRequest('userName', `@${target.screenName} has no tweet to ${type}. Post a tweet as this user first`);
}

/**
 * Returns the users who will act. Users who have not performed the action before come first. Throws if there is no such
 * user.
 */
function chooseActors({ extras }: SandboxState, wish: EventRequest, tweet: SandboxTweet | undefined): User[] {
  const { type, target, count, actor } = wish;
  if (type === 'retweet' && target.protected) {
    throw new Refusal('forbidden', 'A protected tweet cannot be retweeted', { id: tweet?.id });
  }
  const all = actor === undefined ? extras.usersInTurn(count) : [actor];
  const able = all.filter((user) => user !== target && canDo(wish, user, tweet));
  if (able.length === 0) {
    const who = actor === undefined ? 'no simulated user is one of them' : `@${actor.screenName} is not one of them`;
    throw new Refusal('protected', `A protected account allows this action to its followers only, and ${who}`);
  }
  const done = new Set(able.filter((user) => hasDone(wish, user, tweet)));
  return [...able.filter((user) => !done.has(user)), ...done].slice(0, count);
}

function canDo({ type, target }: EventRequest, user: User, tweet: SandboxTweet | undefined): boolean {
  if (isBlocked(user, target) || (tweet !== undefined && hiddenFrom(user, tweet) !== undefined)) return false;
  return !written.has(type) || !user.protected || user.followers.has(target);
}

function hasDone({ type, target }: EventRequest, user: User, tweet: SandboxTweet | undefined): boolean {
  if (type === 'follow') return user.following.has(target);
  if (tweet === undefined) return false;
  return (type === 'like' && user.liked.has(tweet)) || (type === 'retweet' && user.retweeted.has(tweet));
}

function perform(
  platform: SandboxState,
  wish: EventRequest,
  user: User,
  tweet: SandboxTweet | undefined,
  round: number,
): void {
  const { type, target } = wish;
  const at = platform.now();
  const commit = (entry: Entry) => platform.commit(entry);
  const isAgain = hasDone(wish, user, tweet);
  if (type === 'follow') {
    if (isAgain) commit({ kind: 'unfollow', user: user.id, target: target.id, at });
    // If the target is protected, this entry is both the request and its acceptance.
    commit({ kind: 'follow', user: user.id, target: target.id, at });
  } else if (type === 'like' || type === 'retweet') {
    if (tweet === undefined) return;
    if (isAgain) commit({ kind: `un${type}`, user: user.id, tweet: tweet.id, at });
    commit({ kind: type, user: user.id, tweet: tweet.id, at });
  } else {
    const kind: 'mention' | 'reply' | 'quote' = type;
    commit({
      kind: 'tweet',
      id: nextSnowflake(at, platform.dataset.lastTweetId),
      author: user.id,
      text: textOf(platform, wish, round),
      at,
      ...(kind === 'reply' && tweet && { replyTo: tweet.id }),
      ...(kind === 'quote' && tweet && { quoteOf: tweet.id }),
      ...(wish.unasked && { unasked: true }),
    });
  }
}

/**
 * Returns the given text or a generated one. The given text gets a number in later rounds, because a user cannot post
 * the same tweet twice.
 */
function textOf({ dataset, extras }: SandboxState, { type, target, text }: EventRequest, round: number): string {
  if (text === undefined) return extras[type === 'reply' || type === 'quote' ? type : 'mention'](target);
  const names = () => extractEntities(text, dataset.userNamed).mentions.some(({ user }) => user === target);
  const said = type === 'mention' && !names() ? `@${target.screenName} ${text}` : text;
  return round === 1 ? said : `${said} (${round})`;
}
