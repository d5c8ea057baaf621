import { PosternError } from '../../shared/errors/postern-error.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import { messagesOff } from '../capabilities.ts';
import { flag, id, object, optional, text, type Wire } from '../http/wire.ts';
import type { PlatformKeyBackup } from '../key-backup-port.ts';
import type { PlatformMessages } from '../messages-port.ts';
import {
  type ActivityPage,
  type ActivityRequest,
  type CreatedTweet,
  type FollowState,
  type NamedUser,
  type NewTweet,
  NotSupportedError,
  type PlatformArticles,
  type PlatformMedia,
  type UserReference,
} from '../port.ts';
import { XArticles } from './articles.ts';
import { ChatFeed } from './chat-feed.ts';
import type { XWrite } from './client.ts';
import { protectedFields, referenceFields } from './fields.ts';
import { aUser, byReference, checkedId, isId } from './identifiers.ts';
import { XKeyBackup } from './key-backup.ts';
import { findLost, type Wanted } from './lost-post.ts';
import { checkAltText, XMedia } from './media.ts';
import { XMessages } from './messages.ts';
import { enterpriseOnly, operations, type Write, writes } from './operations.ts';
import { aTweet, subjectNotFound } from './problems.ts';
import { maxTextLength, timeOfId } from './read-post.ts';
import { readUserName } from './read-user.ts';
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

  override get keyBackup(): PlatformKeyBackup {
    this.#requireMessages();
    return new XKeyBackup(this.parts, this.call);
  }

  override activity(request: ActivityRequest): Promise<ActivityPage> {
    this.#requireMessages();
    return new ChatFeed(this.parts, this.call).page(request);
  }

  override get articles(): PlatformArticles {
    return new XArticles(this.parts, this.call);
  }

  override get messages(): PlatformMessages {
    this.#requireMessages();
    return new XMessages(this.parts, this.call);
  }

  override async createTweet(tweet: NewTweet): Promise<CreatedTweet> {
    const { mediaIds = [], mediaAltTexts = [], replyToTweetId: replyTo, quoteTweetUrl: url } = tweet;
    const { host } = this.parts.features;
    const quoteOf = tweet.quoteTweetId ?? (url ? readTweetUrl(url, host) : null);
    for (const tweetId of [replyTo, quoteOf]) if (tweetId !== null) checkedId(aTweet(tweetId));
    for (const mediaId of mediaIds)
      if (!isId(mediaId)) throw new PosternError('resource_not_found', `Media not found: ${mediaId}`);
    for (const alt of mediaAltTexts) checkAltText(alt);
    const wanted = { text: tweet.text, replyTo, quoteOf, mediaIds, sinceMs: this.parts.runtime.now() };
    for (const [at, mediaId] of mediaIds.entries()) {
      const alt = mediaAltTexts[at];
      if (alt) await this.media.describe?.(mediaId, alt);
    }
    let isCounted = false;
    const request = { ...requestOf(wanted), onCount: () => (isCounted = true) };
    try {
      return await this.write(request, (data) => createdTweet(data, tweet.text));
    } catch (error) {
      const found = await this.#findLost(error, wanted);
      if (!found) throw error;
      if (!isCounted) this.parts.client.countWrite(request, this.call);
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

  #requireMessages(): void {
    if (!this.parts.hasMessages) throw new NotSupportedError(messagesOff);
  }

  /** X knows no idempotency tokens, so the write is never sent again. */
  async #findLost(error: unknown, wanted: Wanted): Promise<Wire | undefined> {
    if (this.parts.features.extensions) return undefined;
    return findLost(error, wanted, async () => {
      const { getUsersPosts: operation } = operations;
      const [size] = operation.sizes;
      const request = { operation, ids: [await this.viewerId()], page: { size, token: null }, fields: referenceFields };
      return this.get(request, (body) => itemsOf(body, size));
    });
  }

  /** Sends a write about one post and checks the boolean in its response. */
  async #mark(operation: Write, tweetId: string, confirms: string): Promise<void> {
    const subject = aTweet(tweetId);
    const postId = checkedId(subject);
    const body = operation.method === 'POST' ? { tweet_id: postId } : undefined;
    const ids = [await this.viewerId(), postId];
    await this.write({ operation, ids, body, subject }, (data) => confirm(operation, data, confirms));
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
    const { target } = await this.#relate(operation, user, verb, (data) => confirm(operation, data, confirms));
    return { id: target.id, userName: target.userName, name: target.name };
  }

  /** Sends a write about another user. The user is read first, because X takes ids only and its responses do not describe users. */
  async #relate<T>(operation: Write, user: UserReference, verb: string, read: (data: Wire) => T) {
    const request = { ...byReference(user), fields: protectedFields };
    const [viewerId, target] = await Promise.all([this.viewerId(), this.get(request, readTarget)]);
    if (target.id === viewerId) throw new PosternError('malformed_field', `Nobody can ${verb} themselves`);
    const body = operation.method === 'POST' ? { target_user_id: target.id } : undefined;
    const data = await this.write({ operation, ids: [viewerId, target.id], body, subject: aUser(user) }, read);
    return { target, data };
  }
}

function requestOf({ text, replyTo, quoteOf, mediaIds }: Wanted) {
  const named = replyTo ?? quoteOf;
  return {
    operation: writes.createPosts,
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
}

/** Throws a `PosternError` unless the response says that the state is the one that the write makes. */
function confirm({ method }: Write, data: Wire, name: string): void {
  if (flag(data[name], name) !== (method === 'POST'))
    throw new PosternError('platform_refused', `The platform left \`${name}\` as it was`);
}

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
