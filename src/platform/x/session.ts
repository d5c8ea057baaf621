import { malformedField } from '../../shared/errors/fields.ts';
import type { MissingReason } from '../../shared/model/lookup.ts';
import type { Page } from '../../shared/model/page.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import { InvalidResponseError, toCallerError } from '../http/errors.ts';
import { id, list, object, optional, text, type Wire } from '../http/wire.ts';
import type {
  PageOf,
  PageRequest,
  PlatformCall,
  PlatformNeeds,
  TweetSearch,
  UserName,
  UserReference,
  ViewerPage,
} from '../port.ts';
import { UnsupportedSession } from '../unsupported-session.ts';
import type { XBody, XRequest } from './client.ts';
import { allNeeds, articleFields, cardFields, fieldsOfPosts, leastFields, pinnedFields } from './fields.ts';
import { aUser, byReference, checkedId, isId, isName } from './identifiers.ts';
import { type Operation, operations, type PriceClass } from './operations.ts';
import { type RawPage, readPage } from './pages.ts';
import { aTweet, missingOf, type Subject, subjectNotFound } from './problems.ts';
import { PostReader, timeOfId } from './read-post.ts';
import { readAbout, readCard, readProfile, readUserName } from './read-user.ts';
import { earliestRecent, firstPostMs, planSearch, recentMs, type SearchPlan } from './search-query.ts';
import type { SessionParts } from './session-parts.ts';

/** A list of X: its operation, and the object or the words that select it. */
type XList<Query extends string, Class extends PriceClass> = Pick<
  XRequest<Query, Class>,
  'operation' | 'ids' | 'query' | 'subject' | 'appOnly'
>;

interface PostListOptions {
  /** True if the list contains reposts. */
  reposts?: boolean;
  /** Selects posts of a list that has others too, by `articleFields`. Only the wanted posts are read whole. */
  isWanted?: ((post: Wire) => boolean) | undefined;
  /** True for lists in descending order of ids. Default: true if the operation takes `until_id`. */
  newestFirst?: boolean;
}

/** The part of a plan that all pages share. */
type Search = Pick<SearchPlan, 'query' | 'all' | 'startMs' | 'endMs'> & { subject?: Subject };

/** The reads of a session. */
export class XReadSession extends UnsupportedSession {
  protected readonly parts: SessionParts;
  protected readonly call: PlatformCall;
  readonly #needs: PlatformNeeds;
  #viewerId: string | null = null;

  constructor(parts: SessionParts, call: PlatformCall) {
    super();
    this.parts = parts;
    this.call = call;
    this.#needs = call.needs ?? allNeeds;
  }

  override async searchTweets({ q, product, count, cursor }: TweetSearch): Promise<Page<Tweet>> {
    const { client, features, runtime } = this.parts;
    const { extensions } = features;
    const isContinued = cursor !== null;
    const plan = planSearch(q, runtime.now(), { extensions, hasAppToken: client.hasAppToken, isContinued });
    if (plan.isEmpty) return { items: [], cursor: null };
    return this.#search(plan, product === 'Top' ? 'relevancy' : 'recency', { count, cursor });
  }

  override async tweet(tweetId: string): Promise<Tweet> {
    const subject = aTweet(tweetId);
    const request = { operation: operations.getPostsById, ...ofId(subject), fields: this.#postFields() };
    const { reader, post } = await this.get(request, (body) => ({
      reader: this.#reader(body),
      post: object(body.data, 'data'),
    }));
    const [tweet] = await this.#tweets(reader, await this.#withReposts(reader, [post]));
    if (!tweet) throw subjectNotFound(subject);
    return tweet;
  }

  override async tweets(ids: readonly string[]): Promise<(Tweet | MissingReason)[]> {
    const known = ids.filter(isId);
    if (known.length === 0) return ids.map(() => 'not_found');
    const { reader, posts, missing } = await this.#postsByIds(known, (body) => ({
      reader: this.#reader(body),
      posts: itemsOf(body, known.length),
      missing: missingOf(body.errors),
    }));
    const tweets = await this.#tweets(reader, await this.#withReposts(reader, posts));
    const found = new Map(posts.map((post, at) => [post.id, tweets[at]]));
    return ids.map((id) => found.get(id) ?? missing.get(id) ?? 'not_found');
  }

  /** X has no list of replies, so they are searched. If nothing is found, one read tells whether the post exists. */
  override async replies(tweetId: string, page: PageRequest): Promise<Page<Tweet>> {
    const { client, features, runtime } = this.parts;
    const subject = aTweet(tweetId);
    const id = checkedId(subject);
    const isOld = client.hasAppToken && timeOfId(id) < runtime.now() - recentMs;
    // Ids of up to 11 digits are from before November 2010 and contain no time.
    const oldMs = id.length < 12 ? firstPostMs : timeOfId(id);
    const all = features.extensions || isOld;
    const plan = { query: `in_reply_to_tweet_id:${id}`, all, startMs: isOld ? oldMs : null, endMs: null, subject };
    const found = await this.#search(plan, 'recency', page);
    if (found.items.length === 0 && page.cursor === null) {
      await this.get(
        { operation: operations.getPostsById, ...ofId(subject), fields: leastFields.post },
        () => undefined,
      );
    }
    return found;
  }

  override quotes(tweetId: string, page: PageRequest): Promise<Page<Tweet>> {
    const quotes = { operation: operations.getPostsQuotedPosts, ...ofId(aTweet(tweetId)) };
    return this.postPage(quotes, page, { newestFirst: true });
  }

  override retweeters(tweetId: string, page: PageRequest): Promise<Page<UserCard>> {
    return this.userPage({ operation: operations.getPostsRepostedBy, ...ofId(aTweet(tweetId)) }, page);
  }

  override likers(tweetId: string, page: PageRequest): Promise<Page<UserCard>> {
    return this.userPage({ operation: operations.getPostsLikingUsers, ...ofId(aTweet(tweetId)) }, page);
  }

  override async homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>> {
    return this.#ofActor(operations.getUsersTimeline, page, true);
  }

  override bookmarks(page: PageRequest): Promise<ViewerPage<Tweet>> {
    return this.#ofActor(operations.getUsersBookmarks, page);
  }

  override mentions(page: PageRequest): Promise<ViewerPage<Tweet>> {
    return this.#ofActor(operations.getUsersMentions, page);
  }

  override async ownProfile(): Promise<UserProfile> {
    const profile = await this.#profile({ operation: operations.getUsersMe });
    this.parts.identifiers.keepActor(profile.id, this.call);
    return profile;
  }

  override userProfile(user: UserReference): Promise<UserProfile> {
    return this.#profile(byReference(user));
  }

  override async users(users: readonly UserReference[]): Promise<(UserProfile | MissingReason)[]> {
    const keys = users.map((user) => ('userId' in user ? user.userId : user.userName.toLowerCase()));
    const isById = users.every((user) => 'userId' in user);
    const known = keys.filter(isById ? isId : isName);
    if (known.length === 0) return keys.map(() => 'not_found');
    const asked = { fields: this.#profileFields(), ...bulk(known.length) };
    const read = (body: XBody) => {
      const profiles = itemsOf(body, known.length).map((user) => this.#readProfile(user));
      const found = new Map(profiles.map((user) => [isById ? user.id : user.userName.toLowerCase(), user]));
      const missing = missingOf(body.errors);
      return keys.map((key) => found.get(key) ?? missing.get(key) ?? 'not_found');
    };
    return isById
      ? this.get({ operation: operations.getUsersByIds, query: { ids: known.join(',') }, ...asked }, read)
      : this.get({ operation: operations.getUsersByUsernames, query: { usernames: known.join(',') }, ...asked }, read);
  }

  override async userAbout(user: UserReference): Promise<UserAbout> {
    return this.get({ ...byReference(user), fields: cardFields }, ({ data }) => readAbout(object(data, 'data')));
  }

  override async searchUsers({ q, ...page }: PageRequest & { q: string }): Promise<Page<UserCard>> {
    if (!this.parts.features.extensions && !/^[\w' ]{1,50}$/.test(q))
      throw malformedField('q', "must be up to 50 letters of English, digits, spaces, ' and _ on this platform");
    return this.userPage({ operation: operations.searchUsers, query: { query: q } }, page);
  }

  override userTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    return this.#timelineOf(user, page, {}, { reposts: true });
  }

  override likedTweets(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    return this.ofUser(user, (of) => this.postPage({ operation: operations.getUsersLikedPosts, ...of }, page));
  }

  /** X has no list of articles, so they are found among the user's posts. */
  override userArticles(user: UserReference, page: PageRequest): Promise<PageOf<Tweet>> {
    const isWanted = ({ article }: Wire) => article !== undefined;
    return this.#timelineOf(user, page, { exclude: 'replies,retweets' }, { isWanted });
  }

  override followers(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.ofUser(user, (of) => this.userPage({ operation: operations.getUsersFollowers, ...of }, page));
  }

  override following(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.ofUser(user, (of) => this.userPage({ operation: operations.getUsersFollowing, ...of }, page));
  }

  override affiliates(user: UserReference, page: PageRequest): Promise<PageOf<UserCard>> {
    return this.ofUser(user, (of) => this.userPage({ operation: operations.getUsersAffiliates, ...of }, page));
  }

  override listMembers(listId: string, page: PageRequest): Promise<Page<UserCard>> {
    return this.userPage({ operation: operations.getListsMembers, ...ofId({ kind: 'List', id: listId }) }, page);
  }

  protected get<Query extends string, Class extends PriceClass, T>(
    request: XRequest<Query, Class>,
    read: (body: XBody) => T,
  ): Promise<T> {
    return this.parts.client.send(request, this.call, read);
  }

  protected async postPage<Query extends string>(
    of: XList<Query, 'post'>,
    page: PageRequest,
    { newestFirst = of.operation.query.some((name) => name === 'until_id'), ...options }: PostListOptions = {},
  ): Promise<Page<Tweet>> {
    const { sizes } = of.operation;
    const isSparse = options.isWanted !== undefined;
    return readPage(page, { sizes, isSparse, newestFirst }, ({ token }, size) =>
      this.#rawPosts({ ...of, page: { size, token } }, options),
    );
  }

  protected userPage<Query extends string>(of: XList<Query, 'user'>, page: PageRequest): Promise<Page<UserCard>> {
    return readPage(page, { sizes: of.operation.sizes }, ({ token }, size) => {
      return this.get({ ...of, page: { size, token }, fields: cardFields }, (body) => {
        this.#keepNames(body);
        const items = itemsOf(body, size).map(readCard);
        return { items: items.map((item) => ({ id: item.id, item })), token: nextToken(body) };
      });
    });
  }

  /** Returns the id of the actor. */
  protected async viewerId(): Promise<string> {
    return this.#viewerId ?? (await this.parts.identifiers.actorId(this.call));
  }

  /** Reads a list of a user and adds the user's id and name. */
  protected async ofUser<Item, More extends Page<Item>>(
    user: UserReference,
    fetch: (of: { ids: readonly [id: string]; subject: Subject }) => Promise<More>,
  ): Promise<More & { user: UserName }> {
    const { identifiers } = this.parts;
    const subject = aUser(user);
    return identifiers.withId(user, this.call, async (id) => {
      const page = await fetch({ ids: [id], subject });
      return { ...page, user: await identifiers.userOf(id, this.call) };
    });
  }

  #timelineOf(
    user: UserReference,
    page: PageRequest,
    query: { exclude?: string },
    options: PostListOptions,
  ): Promise<PageOf<Tweet>> {
    return this.ofUser(user, async (of) => {
      const found = await this.postPage({ operation: operations.getUsersPosts, query, ...of }, page, options);
      const [id] = of.ids;
      const own = found.items.find(({ author }) => author.id === id);
      if (own) this.parts.identifiers.keep({ id, userName: own.author.userName }, this.call);
      return found;
    });
  }

  async #ofActor<Query extends string>(
    operation: Operation<Query, 'post'>,
    page: PageRequest,
    reposts = false,
  ): Promise<ViewerPage<Tweet>> {
    const viewerId = await this.viewerId();
    return { ...(await this.postPage({ operation, ids: [viewerId] }, page, { reposts })), viewerId };
  }

  #search(search: Search, sort: 'recency' | 'relevancy', { count, cursor }: PageRequest): Promise<Page<Tweet>> {
    const fixed = `${search.all ? 'all' : 'recent'}:${search.startMs ?? ''}:${search.endMs ?? ''}`;
    return readPage(
      { count, cursor },
      { sizes: operations.searchPostsRecent.sizes, fixed, newestFirst: sort === 'recency' },
      async ({ token, fixed: kept }, size) => {
        const [reach, start, end] = kept.split(':');
        const all = reach === 'all';
        // The seven days of recent searches move on from page to page.
        const earliest = all ? 0 : earliestRecent(this.parts.runtime.now());
        const startMs = start ? Math.max(Number(start), earliest) : null;
        const endMs = end ? Number(end) : null;
        if (endMs !== null && endMs <= (startMs ?? earliest)) return { items: [], token: null };
        const times = { start_time: timeOf(startMs), end_time: timeOf(endMs) };
        return this.#rawPosts({
          operation: all ? operations.searchPostsAll : operations.searchPostsRecent,
          query: { query: search.query, sort_order: sort, ...times },
          page: { size, token },
          subject: search.subject ?? null,
          appOnly: all && !this.parts.features.extensions,
        });
      },
    );
  }

  /** Reads a page of posts. Those that X included without their authors and media are looked up. */
  async #rawPosts<Query extends string>(
    of: XList<Query, 'post'> & { page: { size: number; token: string | null } },
    { reposts, isWanted }: PostListOptions = {},
  ): Promise<RawPage<Tweet>> {
    const fields = isWanted ? articleFields : this.#postFields(reposts);
    const { reader, posts, ids, token } = await this.get({ ...of, fields }, (body) => {
      this.#keepNames(body);
      const posts = itemsOf(body, of.page.size);
      const ids = posts.map((post) => id(post.id, 'id'));
      return { reader: this.#reader(body), posts, ids, token: nextToken(body) };
    });
    const wanted = isWanted ? [...(await this.#again(reader, posts.filter(isWanted))).values()] : posts;
    const tweets = await this.#tweets(reader, wanted);
    const found = new Map(wanted.map((post, at) => [post.id, tweets[at] ?? null]));
    return { items: ids.map((id) => ({ id, item: found.get(id) ?? null })), token };
  }

  #reader(body: XBody): PostReader {
    const reader = new PostReader(this.#needs, this.parts.features);
    reader.add(body);
    return reader;
  }

  async #tweets(reader: PostReader, posts: readonly Wire[]): Promise<(Tweet | null)[]> {
    try {
      await this.#complete(reader, posts);
      return posts.map((post) => reader.tweet(post));
    } catch (error) {
      throw error instanceof InvalidResponseError ? toCallerError(error, this.call.proxy) : error;
    }
  }

  /** A reposted post that was looked up may quote another one, hence two rounds. */
  async #complete(reader: PostReader, posts: readonly Wire[]): Promise<void> {
    const tried = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const ids = reader
        .incomplete(posts)
        .filter((id) => !tried.has(id))
        .slice(0, maxBulk);
      if (ids.length === 0) return;
      for (const id of ids) tried.add(id);
      await this.#postsByIds(ids, (body) => {
        reader.add(body);
        reader.addPosts(itemsOf(body, ids.length));
      });
    }
  }

  /** Reads posts that may be reposts once more, if their references were not asked for. */
  async #withReposts(reader: PostReader, posts: readonly Wire[]): Promise<readonly Wire[]> {
    const mayBeRepost = (post: Wire) => String(post.text).startsWith('RT @');
    if (this.#needs.quoted || !posts.some(mayBeRepost)) return posts;
    const found = await this.#again(reader, posts.filter(mayBeRepost), true);
    return posts.map((post) => found.get(post.id) ?? post);
  }

  /** Reads posts once more, with the fields that the call needs. */
  async #again(reader: PostReader, posts: readonly Wire[], reposts = false): Promise<Map<unknown, Wire>> {
    const ids = posts.flatMap(({ id }) => (typeof id === 'string' && isId(id) ? [id] : []));
    if (ids.length === 0) return new Map();
    const read = (body: XBody) => {
      reader.add(body);
      return new Map(itemsOf(body, ids.length).map((post) => [post.id, post]));
    };
    return this.#postsByIds(ids, read, reposts);
  }

  #postsByIds<T>(ids: readonly string[], read: (body: XBody) => T, reposts = false): Promise<T> {
    const request = { operation: operations.getPostsByIds, fields: this.#postFields(reposts), ...bulk(ids.length) };
    return this.get({ ...request, query: { ids: ids.join(',') } }, read);
  }

  #profile<Query extends string>(of: XList<Query, 'user'>): Promise<UserProfile> {
    return this.get({ ...of, fields: this.#profileFields() }, ({ data }) => this.#readProfile(object(data, 'data')));
  }

  #readProfile(user: Wire): UserProfile {
    this.parts.identifiers.keep(readUserName(user), this.call);
    return readProfile(user, this.parts.features);
  }

  #profileFields() {
    return this.#needs.pinned ? pinnedFields : cardFields;
  }

  #postFields(reposts = false) {
    return fieldsOfPosts(this.#needs, this.parts.features, reposts);
  }

  /** The sandbox's extensions name the actor, and the user whose list it is. */
  #keepNames({ meta }: XBody): void {
    if (meta.viewer_id !== undefined) this.#viewerId = id(meta.viewer_id, 'viewer_id');
    if (meta.owner !== undefined) this.parts.identifiers.keep(readUserName(object(meta.owner, 'owner')), this.call);
  }
}

/** X's greatest number of ids in one look-up. */
const maxBulk = 100;

/** Says that a response may have fewer objects than `count`. */
function bulk(count: number) {
  return { count, isBulk: true } as const;
}

function ofId(subject: Subject) {
  return { ids: [checkedId(subject)], subject };
}

/** X leaves `data` out if a page is empty. */
export function itemsOf({ data }: XBody, size: number): Wire[] {
  return optional(list, data, 'data', [])
    .slice(0, size)
    .map((item) => object(item, 'data[]'));
}

function nextToken({ meta }: XBody): string | null {
  return optional(text, meta.next_token, 'next_token', null);
}

/** Formats a time in whole seconds, as X's documentation does. */
function timeOf(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
