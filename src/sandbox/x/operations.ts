import { aboutForm } from '../dataset/about.ts';
import { homeAfter } from '../dataset/home.ts';
import type { Relation } from '../dataset/relation.ts';
import { compareIds, snowflake } from '../dataset/snowflake.ts';
import { mergeNewest, newestTweets, type Post, reversed, timelineOf } from '../dataset/timelines.ts';
import type { Repost, SandboxTweet, User } from '../dataset/types.ts';
import {
  activeUser,
  checkShownTo,
  hiddenFrom,
  isActive,
  isShownTo,
  type Viewer,
  visibleTweet,
} from '../dataset/visibility.ts';
import type { Call, XOperation } from '../http/operation.ts';
import { numberOf } from '../http/paged.ts';
import { json, type SandboxResponse } from '../http/response.ts';
import { badRequest, notFound, Refusal } from '../refusal.ts';
import { termsOf } from '../search/match.ts';
import { BadQuery, onlyRestricts, parseQuery, type Query, UnknownOperator } from '../search/parse.ts';
import { bestFirst, newestMatches } from '../search/search.ts';
import { searchUsers } from '../search/users.ts';
import { type Answer, render } from './answer.ts';
import { articleOperations } from './articles.ts';
import { chatOperations } from './chat.ts';
import { chatMediaOperations } from './chat-media.ts';
import { mediaOperations } from './media.ts';
import { postOperations } from './posts.ts';
import { appOnlyRefused, type ResourceProblem } from './problems.ts';
import { publicKeyOperations } from './public-keys.ts';
import { userJson } from './render.ts';
import {
  checkValue,
  idPattern,
  inRange,
  namePattern,
  type Placed,
  pageOf,
  type Sizes,
  sizeOf,
  timeParameter,
  valuesOf,
  type XCall,
} from './request.ts';
import { type Kind, selectionOf, selectionParameters } from './selection.ts';
import { writeOperations } from './writes.ts';

interface Declared {
  /** The operationId in X's OpenAPI document. */
  readonly id: string;
  /** The path, with `{id}` or `{username}` for the subject. */
  readonly path: string;
  readonly of: Kind;
  /** The query parameters besides fields and expansions. */
  readonly query?: readonly string[];
  readonly sizes?: Sizes;
  /** True if the operation refuses app-only tokens. */
  readonly userOnly?: boolean;
  run(call: XCall): Answer | SandboxResponse;
}

function declare({ id, path, of, query = [], sizes = [1, 1, 1], userOnly = false, run }: Declared): XOperation {
  const known = new Set([...query, ...selectionParameters[of]]);
  return {
    id,
    method: 'GET',
    path,
    access: 'x',
    handle({ platform: state, params, query, headers, viewer }) {
      if (viewer === null && userOnly) throw appOnlyRefused();
      checkNames(query, known);
      const selection = selectionOf(query, of, headers['x-sandbox-extensions'] === '1');
      const subject = params['username'] ?? params['id'] ?? '';
      if (params['username'] !== undefined) checkValue('username', subject, namePattern);
      if (params['id'] !== undefined) checkValue('id', subject, idPattern);
      const { dataset } = state;
      const answer = run({ operation: id, state, dataset, subject, query, viewer, selection, sizes });
      return 'body' in answer ? answer : render(dataset, viewer, selection, answer);
    },
  };
}

/** Refuses unknown names. X drops them silently, which hides mistakes. */
function checkNames(query: Call['query'], known: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (!known.has(name))
      throw badRequest(name, `The query parameter [${name}] is not one of [${[...known].join(',')}]`);
    if (seen.has(name)) throw badRequest(name, `The query parameter [${name}] is given twice`);
    seen.add(name);
  }
}

type Resource = ResourceProblem['resource'];

/** Returns the value of `find`, or the problem because of which there is none. */
function attempt<T>(
  resource: Resource,
  parameter: string,
  value: string,
  find: () => T,
): { found: T } | ResourceProblem {
  try {
    return { found: find() };
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.reason !== 'bad_request') return { refusal, resource, parameter, value };
    throw refusal;
  }
}

function one<T extends User | Post>(resource: Resource, parameter: string, value: string, find: () => T): Answer {
  const result = attempt(resource, parameter, value, find);
  return 'found' in result ? { data: result.found } : { data: undefined, problems: [result] };
}

function many<T extends User | Post>(
  resource: Resource,
  parameter: string,
  values: readonly string[],
  find: (value: string) => T,
) {
  const results = values.map((value) => attempt(resource, parameter, value, () => find(value)));
  return {
    data: results.flatMap((result) => ('found' in result ? [result.found] : [])),
    problems: results.flatMap((result) => ('found' in result ? [] : [result])),
  };
}

const userById = ({ dataset }: XCall, id: string) => activeUser(dataset.users.get(id), id);
const userByName = ({ dataset }: XCall, name: string) => activeUser(dataset.userNamed(name), name);

function postById({ dataset, viewer }: XCall, id: string): Post {
  const repost = dataset.reposts.get(id);
  if (repost === undefined) return visibleTweet(dataset, id, viewer);
  checkShownTo(viewer, activeUser(repost.author, id));
  visibleTweet(dataset, repost.of.id, viewer);
  return repost;
}

function isPostShown(viewer: Viewer, post: Post): boolean {
  if (!('of' in post)) return hiddenFrom(viewer, post) === undefined;
  return hiddenFrom(viewer, post.of) === undefined && isActive(post.author) && isShownTo(viewer, post.author);
}

const lookUps: readonly XOperation[] = [
  declare({
    id: 'getUsersMe',
    path: '/2/users/me',
    of: 'users',
    userOnly: true,
    run: ({ viewer }) => ({ data: viewer ?? undefined }),
  }),
  declare({
    id: 'getUsersById',
    path: '/2/users/{id}',
    of: 'users',
    run: (call) => one('user', 'id', call.subject, () => userById(call, call.subject)),
  }),
  declare({
    id: 'getUsersByIds',
    path: '/2/users',
    of: 'users',
    query: ['ids'],
    run: (call) => many('user', 'ids', valuesOf(call, 'ids', idPattern), (id) => userById(call, id)),
  }),
  declare({
    id: 'getUsersByUsername',
    path: '/2/users/by/username/{username}',
    of: 'users',
    run: (call) => one('user', 'username', call.subject, () => userByName(call, call.subject)),
  }),
  declare({
    id: 'getUsersByUsernames',
    path: '/2/users/by',
    of: 'users',
    query: ['usernames'],
    run: (call) =>
      many('user', 'usernames', valuesOf(call, 'usernames', namePattern), (name) => userByName(call, name)),
  }),
  declare({
    id: 'getPostsById',
    path: '/2/tweets/{id}',
    of: 'posts',
    run: (call) => one('tweet', 'id', call.subject, () => postById(call, call.subject)),
  }),
  declare({
    id: 'getPostsByIds',
    path: '/2/tweets',
    of: 'posts',
    query: ['ids'],
    run(call) {
      const answer = many('tweet', 'ids', valuesOf(call, 'ids', idPattern), (id) => postById(call, id));
      return { ...answer, meta: { result_count: answer.data.length } };
    },
  }),
];

const paging = ['max_results', 'pagination_token'];
const range = ['start_time', 'end_time', 'since_id', 'until_id'];

/** The items of a list after a position, before they are filtered. */
interface Source {
  /** What the tokens of the list belong to. Default: the id in the path. */
  readonly key?: string;
  readonly owner?: User;
  readonly after: (position: string | undefined) => Iterable<Placed<User | Post>>;
  readonly shown?: (item: User | Post) => boolean;
}

interface DeclaredList extends Omit<Declared, 'run'> {
  readonly sizes: Sizes;
  /** The part of `meta` that the list lacks. */
  readonly lacks?: 'result_count' | 'previous_token';
  from(call: XCall): Source;
}

const resources: Readonly<Record<string, Resource>> = { users: 'user', tweets: 'tweet', lists: 'list' };

function list({ from, lacks, ...declared }: DeclaredList): XOperation {
  const [, , collection = ''] = declared.path.split('/');
  const resource = resources[collection] ?? 'user';
  const isTimeline = declared.query?.includes('since_id') === true;
  return declare({
    ...declared,
    query: [...paging, ...(declared.query ?? [])],
    run(call) {
      const size = sizeOf(call);
      const result = attempt(resource, 'id', call.subject, () => from(call));
      if (!('found' in result)) return { data: undefined, problems: [result] };
      const { owner, key = call.subject, after, shown = () => true } = result.found;
      const { items, tokens } = pageOf(call, key, size, after, shown);
      const ids = isTimeline ? items.map(({ id }) => id).toSorted(compareIds) : [];
      const ends = ids.length > 0 && { newest_id: ids.at(-1), oldest_id: ids[0] };
      const meta = { result_count: items.length, ...ends, ...tokens, ...(lacks && { [lacks]: undefined }) };
      return { data: items, meta, ...(owner && { owner }) };
    },
  });
}

const related =
  <T>(relation: Relation<T>) =>
  (position: string | undefined) =>
    relation.newestFirst(numberOf(position));
const latest =
  <T>(items: readonly T[]) =>
  (position: string | undefined) =>
    reversed(items, numberOf(position));

/** Returns the user of the path. Only followers may see the lists of a protected user. */
function shownUser(call: XCall): User {
  const user = userById(call, call.subject);
  checkShownTo(call.viewer, user);
  return user;
}

function ownUser({ viewer, subject }: XCall): User {
  if (viewer?.id === subject) return viewer;
  throw badRequest('id', `The \`id\` value [${subject}] must be the same as the authenticating user [${viewer?.id}]`);
}

function userList(id: string, part: string, relationOf: (user: User) => Relation<User>): XOperation {
  return list({
    id,
    path: `/2/users/{id}/${part}`,
    of: 'users',
    sizes: [1, 1_000, 100],
    from(call) {
      const owner = shownUser(call);
      return { owner, after: related(relationOf(owner)) };
    },
  });
}

function reactors(
  id: string,
  part: string,
  more: Partial<DeclaredList>,
  relationOf: (tweet: SandboxTweet) => Relation<User>,
) {
  return list({
    id,
    path: `/2/tweets/{id}/${part}`,
    of: 'users',
    sizes: [1, 100, 100],
    ...more,
    from: ({ dataset, subject, viewer }) => ({
      after: related(relationOf(visibleTweet(dataset, subject, viewer))),
      shown: (user) => isUserShown(viewer, user),
    }),
  });
}

const isUserShown = (viewer: Viewer, item: User | Post) => 'screenName' in item && isShownTo(viewer, item);
const isItemActive = (item: User | Post) => 'screenName' in item && isActive(item);

/** Declares a list of posts. `exclude` leaves out replies and reposts. */
function postList(declared: Omit<DeclaredList, 'of'>): XOperation {
  return list({
    ...declared,
    of: 'posts',
    from(call) {
      const exclude = call.query.get('exclude')?.split(',') ?? [];
      const unknown = exclude.find((name) => name !== 'replies' && name !== 'retweets');
      if (unknown !== undefined)
        throw badRequest('exclude', `The \`exclude\` value [${unknown}] is not one of [replies,retweets]`);
      const source = declared.from(call);
      const isKept = (post: Post) =>
        !exclude.includes('of' in post ? 'retweets' : post.replyTo === null ? '' : 'replies');
      return {
        ...source,
        shown: (item) =>
          !('screenName' in item) && isKept(item) && isPostShown(call.viewer, item) && source.shown?.(item) !== false,
      };
    },
  });
}

const userLists: readonly XOperation[] = [
  userList('getUsersFollowers', 'followers', (user) => user.followers),
  userList('getUsersFollowing', 'following', (user) => user.following),
  list({
    id: 'getUsersAffiliates',
    path: '/2/users/{id}/affiliates',
    of: 'users',
    sizes: [1, 1_000, 100],
    from(call) {
      const owner = userById(call, call.subject);
      return { owner, after: latest(call.dataset.affiliates.get(owner) ?? []), shown: isItemActive };
    },
  }),
  list({
    id: 'getListsMembers',
    path: '/2/lists/{id}/members',
    of: 'users',
    sizes: [1, 100, 100],
    from({ dataset, subject }) {
      const found = dataset.lists.get(subject);
      if (found === undefined) throw notFound('list', subject);
      return { owner: found.owner, after: latest(found.members), shown: isItemActive };
    },
  }),
  reactors('getPostsRepostedBy', 'retweeted_by', {}, (tweet) => tweet.retweeters),
  reactors('getPostsLikingUsers', 'liking_users', { userOnly: true }, (tweet) => tweet.likers),
];

const postLists: readonly XOperation[] = [
  postList({
    id: 'getUsersPosts',
    path: '/2/users/{id}/tweets',
    query: [...range, 'exclude'],
    sizes: [5, 100, 10],
    from(call) {
      const owner = shownUser(call);
      return { owner, after: inRange(call.query, (id) => timelineOf(owner, id)) };
    },
  }),
  postList({
    id: 'getUsersMentions',
    path: '/2/users/{id}/mentions',
    query: range,
    sizes: [5, 100, 10],
    from(call) {
      const owner = shownUser(call);
      const after = inRange(call.query, (id) => newestTweets(owner.mentions, id));
      const isShown = (author: User) => author !== owner && call.viewer?.muted.has(author) !== true;
      return { owner, after, shown: (post) => 'author' in post && isShown(post.author) };
    },
  }),
  postList({
    id: 'getUsersTimeline',
    path: '/2/users/{id}/timelines/reverse_chronological',
    query: [...range, 'exclude'],
    sizes: [1, 100, 100],
    userOnly: true,
    from(call) {
      const owner = ownUser(call);
      const { tweets, reposts } = call.dataset;
      const isNear = (author: User) => author === owner || (owner.following.has(author) && !owner.muted.has(author));
      const shownRepost = ({ author, of }: Repost) =>
        isNear(author) && of.author !== author && !owner.muted.has(of.author);
      const after = inRange(call.query, (id) => mergeNewest(tweets, reposts.values(), id, shownRepost));
      return { owner, after, shown: (post) => 'author' in post && isNear(post.author) };
    },
  }),
  postList({
    id: 'getUsersBookmarks',
    path: '/2/users/{id}/bookmarks',
    sizes: [1, 100, 100],
    userOnly: true,
    from(call) {
      const owner = ownUser(call);
      return { owner, after: related(owner.bookmarked) };
    },
  }),
  postList({
    id: 'getUsersLikedPosts',
    path: '/2/users/{id}/liked_tweets',
    sizes: [5, 100, 100],
    userOnly: true,
    from(call) {
      const owner = shownUser(call);
      return { owner, after: related(owner.liked) };
    },
  }),
  postList({
    id: 'getPostsQuotedPosts',
    lacks: 'previous_token',
    path: '/2/tweets/{id}/quote_tweets',
    query: ['exclude'],
    sizes: [10, 100, 10],
    from: ({ dataset, subject, viewer }) => ({ after: related(visibleTweet(dataset, subject, viewer).quotes) }),
  }),
];

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

function postSearch(id: string, scope: 'recent' | 'all', greatest: number): XOperation {
  return postList({
    id,
    path: `/2/tweets/search/${scope}`,
    query: [...range, 'query', 'sort_order', 'next_token'],
    sizes: [10, greatest, 10],
    from(call) {
      const { dataset, query, viewer, selection, state } = call;
      const text = query.get('query') ?? '';
      const parsed = parseSearch(text, selection.extended ? 4_096 : scope === 'all' ? 1_024 : 512, selection.extended);
      const order = query.get('sort_order') ?? 'recency';
      if (order !== 'recency' && order !== 'relevancy') throw badRequest('sort_order', 'is not recency or relevancy');
      checkTimes(query, state.now(), scope === 'recent');
      const oldest = scope === 'recent' ? snowflake(state.now() - WEEK_MS, 0) : '0';
      const newest = inRange(query, (below) => newestMatches(dataset, parsed, viewer, below), oldest);
      const best = (position: string | undefined) => bestFirst(dataset, newest(undefined), position);
      return { key: `${order} ${text}`, after: order === 'recency' ? newest : best };
    },
  });
}

function parseSearch(text: string, longest: number, mayOnlyRestrict: boolean): Query {
  if (text.length > longest)
    throw badRequest('query', `The query is ${text.length} characters long; ${longest} are allowed`);
  try {
    const query = parseQuery(text);
    if (query === undefined) throw badRequest('query', 'holds nothing to search for');
    if (mayOnlyRestrict || !onlyRestricts(query)) return query;
  } catch (error) {
    if (error instanceof BadQuery || error instanceof UnknownOperator) throw badRequest('query', error.message);
    throw error;
  }
  throw badRequest(
    'query',
    'The query needs an operator that can stand alone: lang:, has:, is: and negations only restrict others',
  );
}

/** Refuses the times that X refuses in searches. */
function checkTimes(query: URLSearchParams, now: number, isRecent: boolean): void {
  const start = timeParameter(query, 'start_time');
  const end = timeParameter(query, 'end_time');
  if (end !== undefined && end > now - 10_000) throw badRequest('end_time', 'end_time must be at least 10 seconds ago');
  if (start !== undefined && start >= (end ?? now))
    throw badRequest('start_time', 'start_time must be before end_time and now');
  const oldest = Math.min(start ?? now, end ?? now);
  if (isRecent && oldest < now - WEEK_MS)
    throw badRequest(start === undefined ? 'end_time' : 'start_time', 'recent search reaches back seven days');
}

const userSearch = list({
  id: 'searchUsers',
  lacks: 'result_count',
  path: '/2/users/search',
  of: 'users',
  query: ['query', 'next_token'],
  sizes: [1, 1_000, 100],
  userOnly: true,
  from({ dataset, query, selection }) {
    const text = query.get('query') ?? '';
    checkValue('query', text, selection.extended ? /^.{1,512}$/s : /^[\w' ]{1,50}$/);
    const words = termsOf(text);
    if (words.length === 0) throw badRequest('query', 'holds nothing to search for: give a name or a word');
    return { key: text, after: (position) => searchUsers(dataset, words, position), shown: isItemActive };
  },
});

/** What the sandbox offers beyond X. */
const extensions: readonly XOperation[] = [
  postList({
    id: 'getSandboxHome',
    path: '/sandbox/home',
    sizes: [1, 100, 20],
    userOnly: true,
    from: ({ dataset, viewer }) => ({
      after: (position) => (viewer === null ? [] : homeAfter(dataset, viewer, position)),
    }),
  }),
  list({
    id: 'getFollowersYouKnow',
    path: '/sandbox/users/{id}/followers_you_know',
    of: 'users',
    sizes: [1, 1_000, 100],
    userOnly: true,
    from(call) {
      const owner = shownUser(call);
      const isKnown = (item: User | Post) => 'screenName' in item && call.viewer?.following.has(item) === true;
      return { owner, after: related(owner.followers), shown: isKnown };
    },
  }),
  declare({
    id: 'getUserAbout',
    path: '/sandbox/users/{id}/about',
    of: 'users',
    run(call) {
      const user = userById(call, call.subject);
      const card = JSON.parse(userJson(call.dataset, user, call.viewer, call.selection)) as object;
      return json({ data: { ...card, ...aboutForm(user) }, meta: { viewer_id: call.viewer?.id } });
    },
  }),
];

/** All operations of X's API that the sandbox serves, and its extensions. */
export const xOperations: readonly XOperation[] = [
  ...lookUps,
  ...userLists,
  ...postLists,
  postSearch('searchPostsRecent', 'recent', 100),
  postSearch('searchPostsAll', 'all', 500),
  userSearch,
  ...mediaOperations,
  ...articleOperations,
  ...publicKeyOperations,
  ...postOperations,
  ...writeOperations,
  ...chatOperations,
  ...chatMediaOperations,
  ...extensions,
];
