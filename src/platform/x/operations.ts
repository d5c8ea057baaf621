/** X bills each object that a read returns, by its class. Prices in millionths of a dollar, as listed by X on 22 August 2026. */
export const objectPrices = { post: 5_000, user: 10_000, dm_event: 10_000 } as const;
export type PriceClass = keyof typeof objectPrices;

/** X bills each write by its class. Millionths of a dollar. What X has not published is the higher of the likely prices. */
export const writePrices = {
  post_create: 15_000,
  post_create_with_link: 200_000,
  interaction_create: 15_000,
  interaction_delete: 10_000,
  content_manage: 5_000,
  dm_create: 15_000,
} as const;
export type WriteClass = keyof typeof writePrices;

/** What reads and writes have in common. */
export interface Endpoint {
  /** The operationId in X's OpenAPI document (2.167, of 22 August 2026), for metrics. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path. Each `{}` is replaced by an id or name that the request is about. */
  readonly path: string;
  /** The scopes that a user access token needs besides `tweet.read` and `users.read`. */
  readonly scopes: readonly string[];
  /** Requests in 15 minutes. `null` if X documents no limit. */
  readonly limit: number | null;
  /**
   * Whose requests X counts: those of each user token, or those of the app. For `app`, X accepts only the app-only token,
   * and 1 request a second.
   */
  readonly limitOf: 'user' | 'app';
}

/** A write of X's API, or of the sandbox's extensions. */
export interface Write<Body extends string = string> extends Endpoint {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** The names in the body. No body is sent if there are none. */
  readonly body: readonly Body[];
  /** `null` if X lists no price. */
  readonly price: WriteClass | null;
  /** Why X refuses the write to most apps, for messages. */
  readonly restriction?: string;
}

/** A read of X's API, or of the sandbox's extensions. */
export interface Operation<Query extends string = string, Class extends PriceClass = PriceClass> extends Endpoint {
  readonly method: 'GET';
  /** The class of the objects in `data`; `null` if X lists no price for them. */
  readonly items: Class | null;
  /** The names of the query parameters besides those of fields and pages. */
  readonly query: readonly Query[];
  /** The least and the greatest `max_results`. */
  readonly sizes: readonly [least: number, greatest: number];
  /** The query parameter with the token of a page. */
  readonly token: 'pagination_token' | 'next_token';
}

type Declared<Query extends string, Class extends PriceClass> = Omit<Operation<Query, Class>, 'name'>;

/** An operation without parameters has the type of an empty name, because an object without allowed names would allow all. */
function declare<Class extends PriceClass>(items: Class | null) {
  return <const Query extends string = ''>(
    path: string,
    limit: number | null,
    more: Partial<Pick<Operation<Query>, 'query' | 'scopes' | 'limitOf' | 'sizes' | 'token'>> = {},
  ): Declared<NoInfer<Query>, Class> => ({
    method: 'GET',
    items,
    path,
    limit,
    query: [],
    scopes: [],
    limitOf: 'user',
    sizes: [1, 1],
    token: 'pagination_token',
    ...more,
  });
}

export const posts = declare('post');
export const users = declare('user');
export const chatEvents = declare('dm_event');
export const others = declare<never>(null);

/** Declares a write. X's limit of most writes is 50. */
export function write<const Body extends string = ''>(
  method: Write['method'],
  path: string,
  price: WriteClass | null,
  more: Partial<Pick<Write<Body>, 'body' | 'scopes' | 'limit' | 'restriction'>> = {},
): Omit<Write<NoInfer<Body>>, 'name'> {
  return { method, path, price, limit: 50, limitOf: 'user', body: [], scopes: [], ...more };
}

/** Adds the names, which are the keys of the table. */
export function named<Table extends Record<string, Omit<Operation, 'name'> | Omit<Write, 'name'>>>(table: Table) {
  const rows = Object.entries(table).map(([name, operation]) => [name, { name, ...operation }]);
  return Object.fromEntries(rows) as { readonly [Name in keyof Table]: Table[Name] & { readonly name: string } };
}

const range = ['start_time', 'end_time', 'since_id', 'until_id'] as const;
const timelineQuery = [...range, 'exclude'] as const;
const search = { query: ['query', 'sort_order', ...range], sizes: [10, 100], token: 'next_token' } as const;

const uploading = ['media.write'];
const readingChats = ['dm.read'];
const aboutUser = ['expansions', 'user.fields'] as const;
const keyFields = ['public_key.fields'] as const;

/** The reads of X's API that Postern uses. Requests, costs, limits and the scopes in messages derive from this table. */
export const operations = named({
  getPostsById: posts('/2/tweets/{}', 900),
  getPostsByIds: posts('/2/tweets', 5_000, { query: ['ids'] }),
  searchPostsRecent: posts('/2/tweets/search/recent', 300, search),
  /** The sandbox accepts the tokens of users too. */
  searchPostsAll: posts('/2/tweets/search/all', 300, { ...search, limitOf: 'app' }),
  getPostsQuotedPosts: posts('/2/tweets/{}/quote_tweets', 75, { sizes: [10, 100] }),
  getUsersPosts: posts('/2/users/{}/tweets', 900, { query: timelineQuery, sizes: [5, 100] }),
  getUsersMentions: posts('/2/users/{}/mentions', 300, { query: range, sizes: [5, 100] }),
  getUsersTimeline: posts('/2/users/{}/timelines/reverse_chronological', 180, {
    query: timelineQuery,
    sizes: [1, 100],
  }),
  getUsersBookmarks: posts('/2/users/{}/bookmarks', 180, { scopes: ['bookmark.read'], sizes: [1, 100] }),
  getUsersLikedPosts: posts('/2/users/{}/liked_tweets', 75, { scopes: ['like.read'], sizes: [5, 100] }),
  getPostsRepostedBy: users('/2/tweets/{}/retweeted_by', 75, { sizes: [1, 100] }),
  getPostsLikingUsers: users('/2/tweets/{}/liking_users', 75, { scopes: ['like.read'], sizes: [1, 100] }),
  getUsersMe: users('/2/users/me', 75),
  getUsersById: users('/2/users/{}', 900),
  getUsersByIds: users('/2/users', 900, { query: ['ids'] }),
  getUsersByUsername: users('/2/users/by/username/{}', 900),
  getUsersByUsernames: users('/2/users/by', 900, { query: ['usernames'] }),
  searchUsers: users('/2/users/search', 900, { query: ['query'], sizes: [1, 1_000], token: 'next_token' }),
  getUsersFollowers: users('/2/users/{}/followers', 300, { scopes: ['follows.read'], sizes: [1, 1_000] }),
  getUsersFollowing: users('/2/users/{}/following', 300, { scopes: ['follows.read'], sizes: [1, 1_000] }),
  getUsersAffiliates: users('/2/users/{}/affiliates', null, { sizes: [1, 1_000] }),
  getMediaUploadStatus: others('/2/media/upload', null, { query: ['media_id', 'command'], scopes: uploading }),
  getListsMembers: users('/2/lists/{}/members', 900, { scopes: ['list.read'], sizes: [1, 100] }),
  getChatConversations: others('/2/chat/conversations', null, {
    query: ['chat_conversation.fields', ...aboutUser],
    scopes: readingChats,
    sizes: [1, 100],
  }),
  getChatConversationEvents: chatEvents('/2/chat/conversations/{}/events', null, {
    query: ['chat_message_event.fields'],
    scopes: readingChats,
    sizes: [1, 100],
  }),
  getUsersPublicKeys: others('/2/users/public_keys', null, { query: ['ids', ...keyFields], scopes: readingChats }),
  getUsersPublicKey: others('/2/users/{}/public_keys', null, { query: keyFields, scopes: readingChats }),
});

export const enterpriseOnly = (what: string) => `X accepts ${what} only from apps with an Enterprise plan`;

const posting = ['tweet.write'];
const byPost = ['tweet_id'] as const;
const byUser = ['target_user_id'] as const;
const writingChats = { scopes: ['dm.write'], limit: null };
const uploadingChats = { scopes: uploading, limit: null };
const chatFile = ['conversation_id', 'media_hash_key'] as const;

/** The writes of X's API that Postern uses. Blocks are described in X's documentation for Enterprise plans only. */
export const writes = named({
  createPosts: write('POST', '/2/tweets', 'post_create', {
    body: ['text', 'reply', 'quote_tweet_id', 'media'],
    scopes: posting,
    limit: 100,
  }),
  deletePosts: write('DELETE', '/2/tweets/{}', 'content_manage', { scopes: posting }),
  likePost: write('POST', '/2/users/{}/likes', 'interaction_create', {
    body: byPost,
    scopes: ['like.write'],
    restriction: enterpriseOnly('likes'),
  }),
  unlikePost: write('DELETE', '/2/users/{}/likes/{}', 'interaction_delete', { scopes: ['like.write'] }),
  createUsersBookmark: write('POST', '/2/users/{}/bookmarks', 'content_manage', {
    body: byPost,
    scopes: ['bookmark.write'],
  }),
  deleteUsersBookmark: write('DELETE', '/2/users/{}/bookmarks/{}', 'content_manage', { scopes: ['bookmark.write'] }),
  repostPost: write('POST', '/2/users/{}/retweets', 'interaction_create', { body: byPost, scopes: posting }),
  unrepostPost: write('DELETE', '/2/users/{}/retweets/{}', 'interaction_delete', { scopes: posting }),
  followUser: write('POST', '/2/users/{}/following', 'interaction_create', {
    body: byUser,
    scopes: ['follows.write'],
    restriction: enterpriseOnly('follows'),
  }),
  unfollowUser: write('DELETE', '/2/users/{}/following/{}', 'interaction_delete', { scopes: ['follows.write'] }),
  blockUser: write('POST', '/2/users/{}/blocking', 'interaction_create', {
    body: byUser,
    scopes: ['block.write'],
    restriction: enterpriseOnly('blocks'),
  }),
  unblockUser: write('DELETE', '/2/users/{}/blocking/{}', 'interaction_delete', {
    scopes: ['block.write'],
    restriction: enterpriseOnly('blocks'),
  }),
  muteUser: write('POST', '/2/users/{}/muting', 'interaction_create', { body: byUser, scopes: ['mute.write'] }),
  unmuteUser: write('DELETE', '/2/users/{}/muting/{}', 'interaction_delete', { scopes: ['mute.write'] }),
  mediaUpload: write('POST', '/2/media/upload', null, {
    body: ['media', 'media_category'],
    scopes: uploading,
    limit: 500,
  }),
  initializeMediaUpload: write('POST', '/2/media/upload/initialize', null, {
    body: ['media_type', 'media_category', 'total_bytes'],
    scopes: uploading,
    limit: 1_875,
  }),
  appendMediaUpload: write('POST', '/2/media/upload/{}/append', null, {
    body: ['media', 'segment_index'],
    scopes: uploading,
    limit: 1_875,
  }),
  finalizeMediaUpload: write('POST', '/2/media/upload/{}/finalize', null, { scopes: uploading, limit: 1_875 }),
  createMediaMetadata: write('POST', '/2/media/metadata', 'content_manage', {
    body: ['id', 'metadata'],
    scopes: uploading,
    limit: null,
  }),
  articleCreateDraft: write('POST', '/2/articles/draft', null, {
    body: ['title', 'content_state', 'cover_media'],
    scopes: posting,
    limit: null,
  }),
  articlePublish: write('POST', '/2/articles/{}/publish', null, { scopes: posting, limit: null }),
  addUserPublicKey: write('POST', '/2/users/{}/public_keys', null, {
    body: ['public_key', 'version', 'generate_version'],
    ...writingChats,
  }),
  addConversationKeys: write('POST', '/2/chat/conversations/{}/keys', null, {
    body: ['conversation_key_version', 'conversation_participant_keys', 'action_signatures'],
    ...writingChats,
  }),
  sendChatMessage: write('POST', '/2/chat/conversations/{}/messages', 'dm_create', {
    body: ['message_id', 'encoded_message_create_event', 'encoded_message_event_signature'],
    ...writingChats,
  }),
  deleteChatMessages: write('POST', '/2/chat/conversations/{}/messages/delete', null, {
    body: ['sequence_ids', 'delete_message_action', 'action_signatures'],
    ...writingChats,
  }),
  chatMediaUploadInitialize: write('POST', '/2/chat/media/upload/initialize', null, {
    body: ['conversation_id', 'total_bytes'],
    ...uploadingChats,
  }),
  chatMediaUploadAppend: write('POST', '/2/chat/media/upload/{}/append', null, {
    body: ['media', 'segment_index', ...chatFile],
    ...uploadingChats,
  }),
  chatMediaUploadFinalize: write('POST', '/2/chat/media/upload/{}/finalize', null, {
    body: ['num_parts', ...chatFile],
    ...uploadingChats,
  }),
});
