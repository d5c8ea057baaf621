import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import { flag, id, object, text, type Wire } from '../http/wire.ts';
import type {
  CreatedTweet,
  FollowState,
  NamedUser,
  NewTweet,
  PlatformArticles,
  PlatformMedia,
  UserReference,
} from '../port.ts';
import { XArticles } from './articles.ts';
import type { XWrite } from './client.ts';
import { protectedFields, referenceFields } from './fields.ts';
import { aUser, byReference, checkedId, isId } from './identifiers.ts';
import { XMedia } from './media.ts';
import { enterpriseOnly, operations, type Write, writes } from './operations.ts';
import { aTweet, subjectNotFound } from './problems.ts';
import { isPostOf, maxTextLength, timeOfId } from './read-post.ts';
import { optional, readUserName } from './read-user.ts';
import { itemsOf, XReadSession } from './session.ts';
import { readTweetUrl } from './tweet-url.ts';

/** X charges more for posts with a link. It also makes links of names such as `example.com`. */
const link = /\bhttps?:\/\/|[\p{L}\d]\.\p{L}{2,}/iu;
const replies = 'X accepts replies only to authors who have mentioned the actor or quoted a post of the actor';

/** A session on X, or on the sandbox as a server of X's API, on behalf of one actor. */
export class XSession extends XReadSession {
  override get media(): PlatformMedia {
    return new XMedia(this.parts, this.call);
  }

  override get articles(): PlatformArticles {
    return new XArticles(this.parts, this.call);
  }

  override async createTweet(tweet: NewTweet): Promise<CreatedTweet> {
    const { mediaIds = [], mediaAltTexts = [], replyToTweetId: replyTo, quoteTweetUrl: url } = tweet;
    const { host } = this.parts.features;
    const quoteOf = tweet.quoteTweetId ?? (url ? readTweetUrl(url, host) : null);
    for (const tweetId of [replyTo, quoteOf]) if (tweetId !== null) checkedId(aTweet(tweetId));
    for (const mediaId of mediaIds)
      if (!isId(mediaId)) throw new PosternError('resource_not_found', `Media not found: ${mediaId}`);
    const wanted = { text: tweet.text, replyTo, quoteOf, sinceMs: this.parts.runtime.now() };
    for (const [at, mediaId] of mediaIds.entries()) {
      const alt = mediaAltTexts[at];
      if (alt) await this.media.describe?.(mediaId, alt);
    }
    try {
      return await this.#create(wanted, mediaIds);
    } catch (error) {
      const found = await this.#findLost(error, wanted);
      if (!found) throw error;
      return createdTweet({ id: found.id }, tweet.text);
    }
  }

  override async deleteTweet(tweetId: string): Promise<void> {
    const subject = aTweet(tweetId);
    const request = { operation: writes.deletePosts, ids: [checkedId(subject)], subject };
    if (!(await this.write(request, ({ deleted }) => flag(deleted, 'deleted')))) throw subjectNotFound(subject);
  }

  override likeTweet(tweetId: string): Promise<void> {
    return this.#mark(writes.likePost, tweetId, 'liked');
  }

  override unlikeTweet(tweetId: string): Promise<void> {
    return this.#mark(writes.unlikePost, tweetId, 'liked');
  }

  override bookmarkTweet(tweetId: string): Promise<void> {
    return this.#mark(writes.createUsersBookmark, tweetId, 'bookmarked');
  }

  override unbookmarkTweet(tweetId: string): Promise<void> {
    return this.#mark(writes.deleteUsersBookmark, tweetId, 'bookmarked');
  }

  override retweet(tweetId: string): Promise<void> {
    return this.#mark(writes.repostPost, tweetId, 'retweeted');
  }

  override unretweet(tweetId: string): Promise<void> {
    return this.#mark(writes.unrepostPost, tweetId, 'retweeted');
  }

  override follow(user: UserReference): Promise<FollowState> {
    return this.#setFollow(writes.followUser, user);
  }

  override unfollow(user: UserReference): Promise<FollowState> {
    return this.#setFollow(writes.unfollowUser, user);
  }

  override block(user: UserReference): Promise<NamedUser> {
    return this.#setState(writes.blockUser, user, 'block', 'blocking');
  }

  override unblock(user: UserReference): Promise<NamedUser> {
    return this.#setState(writes.unblockUser, user, 'block', 'blocking');
  }

  override mute(user: UserReference): Promise<NamedUser> {
    return this.#setState(writes.muteUser, user, 'mute', 'muting');
  }

  override unmute(user: UserReference): Promise<NamedUser> {
    return this.#setState(writes.unmuteUser, user, 'mute', 'muting');
  }

  protected write<Body extends string, T>(request: XWrite<Body>, read: (data: Wire) => T): Promise<T> {
    return this.parts.client.write(request, this.call, read);
  }

  #create({ text, replyTo, quoteOf }: Wanted, mediaIds: readonly string[]): Promise<CreatedTweet> {
    const named = replyTo ?? quoteOf;
    const request = {
      operation: writes.createPosts,
      ids: [],
      body: {
        ...((text !== '' || mediaIds.length === 0) && { text }),
        ...(replyTo !== null && { reply: { in_reply_to_tweet_id: replyTo } }),
        ...(quoteOf !== null && { quote_tweet_id: quoteOf }),
        ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
      },
      subject: named === null ? null : { ...aTweet(named), other: quoteOf ?? undefined },
      price: link.test(text) ? ('post_create_with_link' as const) : undefined,
      restriction: replyTo !== null ? replies : quoteOf !== null ? enterpriseOnly('quotes') : undefined,
    };
    return this.write(request, (data) => createdTweet(data, text));
  }

  /**
   * Returns the post of a write whose answer was lost, if it is among the newest posts of the actor. X knows no idempotency tokens,
   * so the write is never sent again.
   */
  async #findLost(error: unknown, { sinceMs, ...wanted }: Wanted): Promise<Wire | undefined> {
    if (this.parts.features.extensions || !(error instanceof PosternError) || !lost.has(error.reason)) return undefined;
    try {
      const { getUsersPosts: operation } = operations;
      const [size] = operation.sizes;
      const request = { operation, id: await this.viewerId(), page: { size, token: null }, fields: referenceFields };
      const newest = await this.send(request, (body) => itemsOf(body, size));
      return newest.find((post) => timeOfId(id(post.id, 'id')) >= sinceMs - toleranceMs && isPostOf(post, wanted));
    } catch {
      return undefined;
    }
  }

  /** Sends a write about one post and checks the boolean in its response. */
  async #mark(operation: Write, tweetId: string, confirms: string): Promise<void> {
    const subject = aTweet(tweetId);
    const postId = checkedId(subject);
    const body = operation.method === 'POST' ? { tweet_id: postId } : undefined;
    const ids = [await this.viewerId(), postId];
    await this.write({ operation, ids, body, subject }, (data) => flag(data[confirms], confirms));
  }

  async #setFollow(operation: Write, user: UserReference): Promise<FollowState> {
    const { target, data } = await this.#relate(
      operation,
      user,
      'follow',
      ({ following, pending_follow: pending }) => ({
        following: flag(following, 'following'),
        followRequestSent: optional(flag, pending, 'pending_follow', false),
      }),
    );
    return { ...target, ...data };
  }

  async #setState(operation: Write, user: UserReference, verb: string, confirms: string): Promise<NamedUser> {
    const { target } = await this.#relate(operation, user, verb, (data) => flag(data[confirms], confirms));
    return { id: target.id, userName: target.userName, name: target.name };
  }

  /** Sends a write about another user. The user is read first, because X takes ids only and its responses do not describe users. */
  async #relate<T>(operation: Write, user: UserReference, verb: string, read: (data: Wire) => T) {
    const request = { ...byReference(user), fields: protectedFields };
    const [viewerId, target] = await Promise.all([this.viewerId(), this.send(request, readTarget)]);
    if (target.id === viewerId) throw new PosternError('malformed_field', `Nobody can ${verb} themselves`);
    const body = operation.method === 'POST' ? { target_user_id: target.id } : undefined;
    const data = await this.write({ operation, ids: [viewerId, target.id], body, subject: aUser(user) }, read);
    return { target, data };
  }
}

/** A post as the caller wants it, and when the call began. */
interface Wanted {
  text: string;
  replyTo: string | null;
  quoteOf: string | null;
  sinceMs: number;
}

/** The clocks of X and of this machine may differ by this. */
const toleranceMs = 5_000;

/** Failures after which the platform may have performed the request. */
const lost: ReadonlySet<ErrorReason> = new Set([
  'platform_unreachable',
  'platform_failed',
  'platform_unreadable',
  'platform_timeout',
  'proxy_failed',
  'proxy_unreadable',
  'proxy_timeout',
]);

/** The response has no time, but the id does. */
function createdTweet(post: Wire, sent: string): CreatedTweet {
  const postId = id(post.id, 'id');
  return {
    id: postId,
    text: optional(text, post.text, 'text', sent, maxTextLength),
    createdAt: formatTweetTime(new Date(timeOfId(postId))),
    pendingModeration: false,
    communityId: null,
  };
}

function readTarget({ data }: { data: unknown }) {
  const user = object(data, 'data');
  return {
    ...readUserName(user),
    name: text(user.name, 'name'),
    protected: optional(flag, user.protected, 'protected', false),
  };
}
