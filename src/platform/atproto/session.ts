import { setTimeout as sleep } from 'node:timers/promises';
import { mainSchema as getProfile } from '@atcute/bluesky/types/app/actor/getProfile';
import { mainSchema as searchActors } from '@atcute/bluesky/types/app/actor/searchActors';
import { mainSchema as createBookmark } from '@atcute/bluesky/types/app/bookmark/createBookmark';
import type * as Bookmarks from '@atcute/bluesky/types/app/bookmark/defs';
import { mainSchema as deleteBookmark } from '@atcute/bluesky/types/app/bookmark/deleteBookmark';
import { mainSchema as getBookmarks } from '@atcute/bluesky/types/app/bookmark/getBookmarks';
import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import { mainSchema as getActorLikes } from '@atcute/bluesky/types/app/feed/getActorLikes';
import { mainSchema as getAuthorFeed } from '@atcute/bluesky/types/app/feed/getAuthorFeed';
import { mainSchema as getLikes } from '@atcute/bluesky/types/app/feed/getLikes';
import { mainSchema as getPosts } from '@atcute/bluesky/types/app/feed/getPosts';
import { mainSchema as getPostThread } from '@atcute/bluesky/types/app/feed/getPostThread';
import { mainSchema as getQuotes } from '@atcute/bluesky/types/app/feed/getQuotes';
import { mainSchema as getRepostedBy } from '@atcute/bluesky/types/app/feed/getRepostedBy';
import { mainSchema as getTimeline } from '@atcute/bluesky/types/app/feed/getTimeline';
import { mainSchema as searchPosts } from '@atcute/bluesky/types/app/feed/searchPosts';
import { mainSchema as getFollowers } from '@atcute/bluesky/types/app/graph/getFollowers';
import { mainSchema as getFollows } from '@atcute/bluesky/types/app/graph/getFollows';
import { mainSchema as getKnownFollowers } from '@atcute/bluesky/types/app/graph/getKnownFollowers';
import { mainSchema as getList } from '@atcute/bluesky/types/app/graph/getList';
import { mainSchema as muteActor } from '@atcute/bluesky/types/app/graph/muteActor';
import { mainSchema as unmuteActor } from '@atcute/bluesky/types/app/graph/unmuteActor';
import { mainSchema as listNotifications } from '@atcute/bluesky/types/app/notification/listNotifications';
import { isActorIdentifier } from '@atcute/lexicons/syntax';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { MissingReason } from '../../shared/model/lookup.ts';
import type { Page } from '../../shared/model/page.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type {
  ActivityPage,
  ActivityRequest,
  CreatedTweet,
  FollowState,
  NamedUser,
  NewTweet,
  PageOf,
  PageRequest,
  PlatformMedia,
  TweetSearch,
  UserReference,
  ViewerPage,
} from '../port.ts';
import { UnsupportedSession } from '../unsupported-session.ts';
import type { ActivityFeeds } from './activity.ts';
import type { AtprotoArticles } from './articles.ts';
import { encodeRecordUri, parseRecordUri } from './identifiers.ts';
import type { MediaStore } from './media.ts';
import { type Subject, subjectNotFound } from './problems.ts';
import type { ProfileView } from './read-user.ts';
import { type Collection, collections, type Records, type StrongRef } from './records.ts';
import { userSubject } from './references.ts';
import { matchesSearch, parseSearch } from './search.ts';
import type { PageParams, ServerSession } from './server-session.ts';
import { verifiedBy } from './verifications.ts';
import { createPost, findPost, tweetSubject } from './write-post.ts';
import type { Method, OutputOf, ParamsOf } from './xrpc.ts';

interface SessionParts {
  records: Records;
  media: MediaStore;
  feeds: ActivityFeeds;
  articles: AtprotoArticles;
}

/**
 * A session on the AT Protocol on behalf of one actor. Operations that are not implemented here are refused with 501.
 */
export class AtprotoSession extends UnsupportedSession {
  readonly #actor: ServerSession;
  readonly #records: Records;
  readonly #media: MediaStore;
  readonly #feeds: ActivityFeeds;
  override readonly articles: AtprotoArticles;

  constructor(actor: ServerSession, parts: SessionParts) {
    super();
    this.#actor = actor;
    this.#records = parts.records;
    this.#media = parts.media;
    this.#feeds = parts.feeds;
    this.articles = parts.articles;
  }

  override async searchTweets({ q, product, ...page }: TweetSearch): Promise<Page<Tweet>> {
    const search = parseSearch(q);
    const { filters: _, ...query } = search;
    const sort = product === 'Top' ? 'top' : 'latest';
    const read = (posts: readonly Feed.PostView[]) =>
      this.#actor.tweets(posts.filter((post) => matchesSearch(post, search)));
    return this.#list(page, searchPosts, { params: { ...query, sort } as never }, ({ posts }) => posts, read);
  }

  override get media(): PlatformMedia {
    return { upload: (media) => this.#media.upload(this.#actor, media) };
  }

  override createTweet(tweet: NewTweet): Promise<CreatedTweet> {
    return createPost(this.#actor, this.#records, this.#media, tweet);
  }

  override async deleteTweet(tweetId: string): Promise<void> {
    await this.#records.removeOwn(collections.post, await this.#uri(tweetId), tweetSubject(tweetId));
  }

  override likeTweet(tweetId: string): Promise<void> {
    return this.#addToPost('likeTweet', collections.like, tweetId);
  }

  override unlikeTweet(tweetId: string): Promise<void> {
    return this.#removeFromPost(collections.like, tweetId);
  }

  override retweet(tweetId: string): Promise<void> {
    return this.#addToPost('retweet', collections.repost, tweetId);
  }

  override unretweet(tweetId: string): Promise<void> {
    return this.#removeFromPost(collections.repost, tweetId);
  }

  override async bookmarkTweet(tweetId: string): Promise<void> {
    const { uri, cid } = await findPost(this.#actor, this.#records, await this.#uri(tweetId), tweetId);
    await this.#actor.about(tweetSubject(tweetId))(createBookmark, { input: { uri, cid } });
  }

  override async unbookmarkTweet(tweetId: string): Promise<void> {
    const { uri } = await findPost(this.#actor, this.#records, await this.#uri(tweetId), tweetId);
    await this.#actor.about(tweetSubject(tweetId))(deleteBookmark, { input: { uri } });
  }

  override async tweet(tweetId: string): Promise<Tweet> {
    const [tweet] = await this.#actor.tweets([(await this.#settledThread(tweetId)).post]);
    if (!tweet) throw subjectNotFound(tweetSubject(tweetId));
    return tweet;
  }

  /** The network leaves out posts that do not exist or that the actor may not see, without a reason. */
  override async tweets(ids: readonly string[]): Promise<(Tweet | MissingReason)[]> {
    const uris = await Promise.all(ids.map((id) => orNull(this.#uri(id))));
    const tweets = await this.#actor.tweets(await this.#posts(uris.filter((uri) => uri !== null)));
    const byId = new Map(tweets.map((tweet) => [tweet.id, tweet]));
    return ids.map((id) => byId.get(id) ?? 'not_found');
  }

  /** The network returns all direct replies at once. The cursor is the id of the last reply on the page. */
  override async replies(tweetId: string, { count, cursor }: PageRequest): Promise<Page<Tweet>> {
    const before = cursor === null ? null : BigInt(cursor);
    const { replies = [] } = await this.#thread(tweetId, 1);
    const rest = replies
      .slice(0, maxReplies)
      .flatMap((reply) =>
        reply.$type === threadPost ? [{ post: reply.post, id: BigInt(encodeRecordUri(reply.post.uri)?.id ?? 0) }] : [],
      )
      .filter(({ id }) => before === null || id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const shown = rest.slice(0, count);
    const items = await this.#actor.tweets(shown.map(({ post }) => post));
    return { items, cursor: rest.length > count ? String(shown.at(-1)?.id) : null };
  }

  override async quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>> {
    return this.#list(page, getQuotes, await this.#ofPost(tweetId), ({ posts }) => posts, this.#actor.tweets);
  }

  override async retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>> {
    const usersOf = ({ repostedBy }: OutputOf<typeof getRepostedBy>) => repostedBy;
    return this.#list(page, getRepostedBy, await this.#ofPost(tweetId), usersOf, this.#actor.cards);
  }

  override async likers(tweetId: string, page: PageRequest): Promise<Page<UserCard>> {
    const usersOf = ({ likes }: OutputOf<typeof getLikes>) => likes.map(({ actor }) => actor);
    return this.#list(page, getLikes, await this.#ofPost(tweetId), usersOf, this.#actor.cards);
  }

  /** Reposts are left out, because several users may repost the same post. */
  override async homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const read = (feed: readonly Feed.FeedViewPost[]) => this.#actor.tweets(postsOf(feed, (item) => !isRepost(item)));
    const found = await this.#list(page, getTimeline, {}, ({ feed }) => feed, read);
    return { ...found, viewerId: await this.#actor.viewerId() };
  }

  override async bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const read = (bookmarks: readonly Bookmarks.BookmarkView[]) =>
      this.#actor.tweets(bookmarks.flatMap(({ item }) => (item.$type === 'app.bsky.feed.defs#postView' ? [item] : [])));
    const found = await this.#list(page, getBookmarks, {}, ({ bookmarks }) => bookmarks, read);
    return { ...found, viewerId: await this.#actor.viewerId() };
  }

  override async mentions(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const of = { params: { reasons: ['mention'] } };
    const urisOf = ({ notifications }: OutputOf<typeof listNotifications>) => notifications.map(({ uri }) => uri);
    const found = await this.#list(page, listNotifications, of, urisOf, this.#tweetsAt);
    return { ...found, viewerId: await this.#actor.viewerId() };
  }

  override async ownProfile(): Promise<UserProfile> {
    const actor = (await this.#actor.did()) as `did:${string}:${string}`;
    return this.#actor.profile(await this.#actor.about(null)(getProfile, { params: { actor } }));
  }

  override async userProfile(user: UserReference): Promise<UserProfile> {
    return this.#actor.profile(await this.#profile(user));
  }

  override async users(users: readonly UserReference[]): Promise<(UserProfile | MissingReason)[]> {
    const actors = await Promise.all(users.map(async (user) => (await orNull(this.#actor.ids.actorOf(user))) ?? ''));
    const views = [...(await this.#actor.profiles(actors.filter(isActorIdentifier))).values()];
    const byActor = new Map<string, ProfileView>(
      views.flatMap(
        (view) =>
          [
            [view.did, view],
            [view.handle, view],
          ] as const,
      ),
    );
    return Promise.all(
      actors.map((actor) => {
        const view = byActor.get(actor);
        return view ? this.#actor.profile(view) : 'not_found';
      }),
    );
  }

  override async userAbout(user: UserReference): Promise<UserAbout> {
    return this.#actor.userAbout(await this.#profile(user));
  }

  override searchUsers({ q, ...page }: PageRequest & { q: string }): Promise<Page<UserCard>> {
    return this.#list(page, searchActors, { params: { q } }, ({ actors }) => actors, this.#actor.cards);
  }

  /** Reposts of own posts are left out, because the posts are in the list themselves. */
  override async userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const owner = await this.#profile(user);
    const isListed = (item: Feed.FeedViewPost) => !isRepost(item) || item.post.author.did !== owner.did;
    const of = { params: { actor: owner.did, filter: 'posts_with_replies' } } as const;
    const read = (feed: readonly Feed.FeedViewPost[]) => this.#actor.tweets(postsOf(feed, isListed));
    const found = await this.#list(page, getAuthorFeed, of, ({ feed }) => feed, read);
    return { ...found, user: await this.#actor.userName(owner) };
  }

  override async likedTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const owner = await this.#profile(user);
    if (owner.did !== (await this.#actor.did()))
      throw new PosternError('platform_refused', 'The network shows the likes of a user to that user only');
    const of = { params: { actor: owner.did } };
    const read = (feed: readonly Feed.FeedViewPost[]) => this.#actor.tweets(postsOf(feed, () => true));
    const found = await this.#list(page, getActorLikes, of, ({ feed }) => feed, read);
    return { ...found, user: await this.#actor.userName(owner) };
  }

  /** Reads the author's articles, and the tweets that publish them. Articles without a tweet are left out. */
  override async userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const owner = await this.#profile(user);
    const fetch = (paging: PageParams) => this.articles.postsOf(owner.did, paging);
    const found = await this.#actor.page(page, fetch, this.#tweetsAt);
    return { ...found, user: await this.#actor.userName(owner) };
  }

  override async followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    const owner = await this.#profile(user);
    const of = { params: { actor: owner.did } };
    const found = await this.#list(page, getFollowers, of, ({ followers }) => followers, this.#actor.cards);
    return { ...found, user: await this.#actor.userName(owner) };
  }

  override async following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    const owner = await this.#profile(user);
    const of = { params: { actor: owner.did } };
    const found = await this.#list(page, getFollows, of, ({ follows }) => follows, this.#actor.cards);
    return { ...found, user: await this.#actor.userName(owner) };
  }

  /** The network returns these users at once, whatever the limit. The cursor is the DID of the last user on the page. */
  override async knownFollowers(
    user: UserReference,
    { count, cursor }: PageRequest,
  ): Promise<PageOf<UserCard> & ViewerPage<UserCard>> {
    const owner = await this.#profile(user);
    const params = { actor: owner.did, limit: maxKnownFollowers };
    const { followers } = await this.#actor.about(null)(getKnownFollowers, { params });
    const rest = followers
      .slice(0, maxKnownFollowers)
      .sort((a, b) => (a.did < b.did ? -1 : 1))
      .filter(({ did }) => did > (cursor ?? ''));
    const items = await this.#actor.cards(rest.slice(0, count));
    const users = { items, cursor: rest.length > count ? (rest[count - 1]?.did ?? null) : null };
    return { ...users, user: await this.#actor.userName(owner), viewerId: await this.#actor.viewerId() };
  }

  override async affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    const owner = await this.#profile(user);
    const verified = await verifiedBy(this.#actor, owner, userSubject(user), page);
    return { ...verified, user: await this.#actor.userName(owner) };
  }

  override async follow(user: UserReference): Promise<FollowState> {
    return { ...(await this.#setRecord('follow', user, true)), ...notRequested, following: true };
  }

  override async unfollow(user: UserReference): Promise<FollowState> {
    return { ...(await this.#setRecord('follow', user, false)), ...notRequested, following: false };
  }

  override block(user: UserReference): Promise<NamedUser> {
    return this.#setRecord('block', user, true);
  }

  override unblock(user: UserReference): Promise<NamedUser> {
    return this.#setRecord('block', user, false);
  }

  override async mute(user: UserReference): Promise<NamedUser> {
    const target = await this.#otherUser(user, 'mute');
    await this.#actor.about(userSubject(user))(muteActor, { input: { actor: target.did } });
    return this.#named(target);
  }

  override async unmute(user: UserReference): Promise<NamedUser> {
    const target = await this.#otherUser(user, 'mute');
    await this.#actor.about(userSubject(user))(unmuteActor, { input: { actor: target.did } });
    return this.#named(target);
  }

  override async listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>> {
    const subject = { kind: 'List', id: listId } as const;
    const list = await this.#actor.ids.uriOf(listId, collections.list, subject);
    const fetch = async (paging: PageParams) => {
      const { items, cursor } = await this.#actor.about(subject)(getList, { params: { list, ...paging } });
      return { items: items.map((item) => item.subject), cursor };
    };
    return this.#actor.page(page, fetch, this.#actor.cards);
  }

  override activity(page: ActivityRequest): Promise<ActivityPage> {
    return this.#feeds.read(this.#actor, page);
  }

  /** Reads a page of what a method lists. `itemsOf` returns the items of its output. */
  #list<M extends Method, Item, Read>(
    page: PageRequest,
    method: M,
    { params, subject = null }: { params?: Omit<ParamsOf<M>, keyof PageParams>; subject?: Subject | null },
    itemsOf: (output: OutputOf<M>) => readonly Item[],
    read: (items: readonly Item[]) => Promise<Read[]>,
  ): Promise<Page<Read>> {
    const ask = this.#actor.about(subject, true);
    const fetch = async (paging: PageParams) => {
      const output = await ask(method, { params: { ...params, ...paging } as never });
      return { items: itemsOf(output), cursor: (output as Partial<PageParams> | null)?.cursor };
    };
    return this.#actor.page(page, fetch, read);
  }

  /** Returns the parameters of a method about a post. Throws `not_found` if the post does not exist. */
  async #ofPost(tweetId: string) {
    const uri = await this.#uri(tweetId);
    await findPost(this.#actor, this.#records, uri, tweetId);
    return { params: { uri }, subject: tweetSubject(tweetId) };
  }

  readonly #tweetsAt = async (uris: readonly string[]) => this.#actor.tweets(await this.#posts(uris));

  #uri(tweetId: string): Promise<StrongRef['uri']> {
    return this.#actor.ids.uriOf(tweetId, collections.post, tweetSubject(tweetId));
  }

  async #profile(user: UserReference) {
    const actor = await this.#actor.ids.actorOf(user);
    return this.#actor.about(userSubject(user))(getProfile, { params: { actor } });
  }

  async #otherUser(user: UserReference, verb: string) {
    const target = await this.#profile(user);
    if (target.did !== (await this.#actor.did())) return target;
    throw new PosternError('malformed_field', `Nobody can ${verb} themselves`);
  }

  async #named(profile: ProfileView): Promise<NamedUser> {
    return { ...(await this.#actor.userName(profile)), name: profile.displayName || profile.handle };
  }

  /** Creates the actor's record about another user, or removes it. */
  async #setRecord(kind: 'follow' | 'block', user: UserReference, holds: boolean): Promise<NamedUser> {
    const target = await this.#otherUser(user, kind);
    const { following, blocking } = target.viewer ?? {};
    const isTarget = (subject: unknown) => subject === target.did;
    const existing = await this.#records.about(collections[kind], isTarget, kind === 'follow' ? following : blocking);
    if (!holds) await this.#records.remove(collections[kind], existing);
    else if (existing.length === 0) {
      await this.#records.create(kind, collections[kind], () => ({ subject: target.did }), userSubject(user));
    }
    return this.#named(target);
  }

  /**
   * Returns a post. The AppView indexes new posts with a delay of some tenths of a second, so a new post of the actor
   * is read again until it appears.
   */
  async #settledThread(tweetId: string) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#thread(tweetId, 0);
      } catch (error) {
        const isMissing = error instanceof PosternError && error.reason === 'resource_not_found';
        if (!isMissing || tries >= maxReads || !(await this.#isOwnRecord(tweetId))) throw error;
        await sleep(readAgainMs);
      }
    }
  }

  async #isOwnRecord(tweetId: string): Promise<boolean> {
    const name = parseRecordUri(await this.#uri(tweetId));
    if (name === null || name.did !== (await this.#actor.did())) return false;
    return (await this.#records.read(name.did, name.collection, name.key)) !== null;
  }

  async #thread(tweetId: string, depth: number) {
    const params = { uri: await this.#uri(tweetId), depth, parentHeight: 0 };
    const { thread } = await this.#actor.about(tweetSubject(tweetId))(getPostThread, { params, limits: threadLimits });
    if (thread.$type === threadPost) return thread;
    if (thread.$type === 'app.bsky.feed.defs#blockedPost')
      throw new PosternError('platform_refused', 'Blocked by the user, or the user is blocked');
    throw subjectNotFound(tweetSubject(tweetId));
  }

  async #posts(uris: readonly string[]): Promise<Feed.PostView[]> {
    const chunks = Array.from({ length: Math.ceil(uris.length / postsAtOnce) }, (_, at) =>
      uris.slice(at * postsAtOnce, (at + 1) * postsAtOnce),
    );
    const ask = this.#actor.about(null);
    const found = await Promise.all(chunks.map((chunk) => ask(getPosts, { params: { uris: chunk as never } })));
    return found.flatMap(({ posts }, at) => posts.slice(0, chunks[at]?.length));
  }

  async #addToPost(operation: string, collection: Collection, tweetId: string): Promise<void> {
    const post = await this.#stateOf(collection, tweetId);
    if (post.existing.length > 0) return;
    const subject = { uri: post.uri, cid: post.cid };
    await this.#records.create(operation, collection, () => ({ subject }), tweetSubject(tweetId));
  }

  async #removeFromPost(collection: Collection, tweetId: string): Promise<void> {
    await this.#records.remove(collection, (await this.#stateOf(collection, tweetId)).existing);
  }

  /** Returns a post, and the actor's records of this collection that refer to the post. */
  async #stateOf(collection: Collection, tweetId: string) {
    const uri = await this.#uri(tweetId);
    const { cid, viewer } = await findPost(this.#actor, this.#records, uri, tweetId);
    const known = collection === collections.like ? viewer?.like : viewer?.repost;
    const isPost = (subject: unknown) => (subject as { uri?: unknown } | null)?.uri === uri;
    return { uri, cid, existing: await this.#records.about(collection, isPost, known) };
  }
}

/** Returns `null` if there is no such object. */
async function orNull<Found>(finding: Promise<Found>): Promise<Found | null> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof PosternError && error.reason === 'resource_not_found') return null;
    throw error;
  }
}

const isRepost = ({ reason }: Feed.FeedViewPost) => reason?.$type === 'app.bsky.feed.defs#reasonRepost';

const postsOf = (feed: readonly Feed.FeedViewPost[], isListed: (item: Feed.FeedViewPost) => boolean) =>
  feed.filter(isListed).map(({ post }) => post);

/** The type of a thread that has a post. The members of other types have not been validated. */
const threadPost = 'app.bsky.feed.defs#threadViewPost';

/** More replies than these do not fit into a response, which has at most 4 MiB. */
const maxReplies = 3_000;

/** The maximum limit that the lexicon allows. */
const maxKnownFollowers = 100;

/** The network has no protected accounts, so a follow needs no request. */
const notRequested = { followRequestSent: false, protected: false };

/** The limits of a thread. Some servers ignore `parentHeight` and send up to 80 parents, nested in each other. */
const threadLimits = { depth: 256, values: 100_000 };

/** The maximum number of posts in one request. */
const postsAtOnce = 25;

/** The maximum number of further reads of a new post that the AppView has not indexed yet. */
const maxReads = 10;
/** The pause between these reads in milliseconds. */
const readAgainMs = 200;
