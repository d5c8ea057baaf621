/** GraphQL fragments with the fields that the explorer shows. None of these fields needs a further call. */
const fragments = {
  TweetParts: `fragment TweetParts on Tweet {
  ...PlainTweetParts
  quotedTweet {
    ...PlainTweetParts
  }
}`,
  PlainTweetParts: `fragment PlainTweetParts on Tweet {
  tweetId
  text
  lang
  createdAt
  replyCount
  retweetCount
  quoteCount
  likeCount
  bookmarkCount
  viewCount
  inReplyToId
  author {
    userId
    userName
    name
    isVerified
    isBlueVerified
  }
  media {
    type
    url
    videoUrl
    width
    height
    durationMs
  }
  entities {
    hashtags { text indices }
    symbols { text indices }
    urls { expandedUrl displayUrl indices }
    userMentions { userName indices }
  }
}`,
  UserParts: `fragment UserParts on User {
  userId
  userName
  name
  description
  isVerified
  isBlueVerified
  followersCount
  followingCount
}`,
} as const;

const neededBy: Readonly<Record<keyof typeof fragments, readonly (keyof typeof fragments)[]>> = {
  TweetParts: ['TweetParts', 'PlainTweetParts'],
  PlainTweetParts: ['PlainTweetParts'],
  UserParts: ['UserParts'],
};

/** Returns a GraphQL document: the operation, followed by the fragments that the operation uses. */
function document(operation: string): string {
  const names = Object.keys(fragments) as (keyof typeof fragments)[];
  const used = new Set(names.filter((name) => operation.includes(`...${name}`)).flatMap((name) => neededBy[name]));
  return `${[operation, ...names.filter((name) => used.has(name)).map((name) => fragments[name])].join('\n\n')}\n`;
}

const mostItems = 100;
const pageSize = 20;

/** Returns a field with its selected fields, each on a line of its own. */
function field(head: string, ...selected: readonly string[]): string {
  return `${head} {\n${selected.map(indented).join('\n')}\n}`;
}

const indented = (text: string) => text.replace(/^/gm, '  ');

/** Returns a list field that selects as many items as the first `pages` pages of REST have, 20 each. */
function list(name: string, args: readonly string[], pages: number, ...selected: readonly string[]): string {
  const first = `first: ${Math.min(mostItems, pageSize * pages)}`;
  return field(
    `${name}(${[...args, first].join(', ')})`,
    field('nodes', ...selected),
    'pageInfo { hasNextPage endCursor }',
  );
}

/** Returns a string literal. JSON escapes every character that GraphQL requires to be escaped. */
const literal = (text: string) => JSON.stringify(text);

const query = (...fields: readonly string[]) => document(field('query', ...fields));
const mutation = (...fields: readonly string[]) => document(field('mutation', ...fields));

export function searchTweetsQuery(q: string, product: 'Latest' | 'Top', pages: number): string {
  const args = [`q: ${literal(q)}`, `product: ${product.toUpperCase()}`];
  return query(list('searchTweets', args, pages, '...TweetParts'));
}

export function searchUsersQuery(q: string, pages: number): string {
  return query(list('searchUsers', [`q: ${literal(q)}`], pages, '...UserParts'));
}

export function actorTweetsQuery(name: 'homeTimeline' | 'mentions' | 'bookmarks', pages: number): string {
  return query(list(name, [], pages, '...TweetParts'));
}

export type TweetList = 'replies' | 'quotes' | 'retweeters';

/** The tweet, as many of the tweets above it as are shown, and one of its lists. */
export function threadQuery(tweetId: string, parents: number, shownList: TweetList, pages: number): string {
  const items = shownList === 'retweeters' ? '...UserParts' : '...TweetParts';
  let above = '';
  for (let level = 0; level < parents; level++) above = field('inReplyTo', '...TweetParts', ...(above ? [above] : []));
  return query(
    field(
      `tweet(tweetId: ${literal(tweetId)})`,
      '...TweetParts',
      ...(above ? [above] : []),
      list(shownList, [], pages, items),
    ),
  );
}

const profileFields = [
  '...UserParts',
  'location',
  'url',
  'createdAt',
  'protected',
  'canDm',
  'statusesCount',
  'mediaCount',
  'favouritesCount',
  'listedCount',
];

const aboutFields = [
  'accountBasedIn',
  'createdVia',
  'isIdentityVerified',
  'verifiedSince',
  'usernameChanges { count lastChangedAt }',
];

export type UserList = 'tweets' | 'articles' | 'followers' | 'following' | 'followersYouKnow' | 'affiliates';

/** Returns the query for a user and one of their lists. */
export function userQuery(userName: string, shownList: UserList, pages: number): string {
  const items = shownList === 'tweets' || shownList === 'articles' ? '...TweetParts' : '...UserParts';
  return query(field(userField(userName), ...profileFields, list(shownList, [], pages, items)));
}

/** Returns the query for a user and their tweets with media. */
export function userMediaQuery(userName: string, q: string, pages: number): string {
  return query(
    field(userField(userName), ...profileFields),
    list('searchTweets', [`q: ${literal(q)}`, 'product: LATEST'], pages, '...TweetParts'),
  );
}

export function userAboutQuery(userName: string): string {
  return query(field(userField(userName), ...profileFields, field('about', ...aboutFields)));
}

const userField = (userName: string) => `user(userName: ${literal(userName)})`;

const articleFields = ['articleId', 'title', 'status', 'createdAt', 'updatedAt', 'publicUrl', 'draftUrl'];

export function articlesQuery(pages: number): string {
  return query(list('articles', [], pages, ...articleFields));
}

export function articleQuery(articleId: string): string {
  return query(field(`article(articleId: ${literal(articleId)})`, ...articleFields, 'content'));
}

const participantFields = ['userId', 'userName', 'name', 'isVerified', 'isBlueVerified', 'hasPublicKey'];

export function conversationsQuery(pages: number): string {
  const first = Math.min(mostItems, pageSize * pages);
  return query(
    field(
      `conversations(first: ${first})`,
      'hasMessageRequests',
      field(
        'nodes',
        'conversationId',
        'isMuted',
        'lastMessage { text senderId fromMe createdAt }',
        field('participants', ...participantFields),
      ),
      'pageInfo { hasNextPage endCursor }',
    ),
  );
}

const messageFields = [
  'seqId',
  'senderId',
  'fromMe',
  'text',
  'createdAt',
  'edited',
  'deleted',
  'undecryptable',
  'reactions { emoji fromMe }',
  'attachment { filename type size }',
];

/** The schema has no query field for one conversation, so the query finds the conversation by its global id. */
export function messagesQuery(conversationId: string, pages: number): string {
  return query(
    field(
      `node(id: ${literal(globalId('Conversation', conversationId))})`,
      field('... on Conversation', 'conversationId', list('messages', [], pages, ...messageFields)),
    ),
  );
}

/** Returns the global id of an object: its type and id in base64. `btoa` accepts bytes only. */
function globalId(type: string, id: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${type}:${id}`)));
}

/** Returns a mutation with these input fields. */
export function writeMutation(name: string, input: Readonly<Record<string, string>>, ...selected: string[]): string {
  const fields = Object.entries(input).map(([key, value]) => `${key}: ${literal(value)}`);
  return mutation(field(`${name}(input: { ${fields.join(', ')} })`, ...selected));
}
