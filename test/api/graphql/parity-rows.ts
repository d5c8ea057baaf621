import { encodeGlobalID } from '@pothos/plugin-relay';
import { listDocument, listFields } from './list-fields.ts';
import { asGraphql, eventTypeName, withFragments } from './parity-shapes.ts';

type Data = Record<string, unknown>;

/** The GraphQL form of an action. */
export interface Row {
  /** The document. `variablesOf` returns its variables. */
  readonly document: string;
  /** The path of the action's result in the response data. */
  readonly at: readonly string[];
  /** Additional calls of the document. A list, for example, needs a call for its owner. */
  readonly beside: readonly string[];
  /** Converts the REST response to its GraphQL form. */
  readonly same: (data: Data) => unknown;
}

const spelled: Readonly<Record<string, string>> = {
  id: 'webhookId',
  count: 'first',
  cursor: 'after',
  username: 'userName',
  user_name: 'userName',
};

/** The GraphQL name of `id`, by the first part of the action's name. */
const idNames: Readonly<Record<string, string>> = { account: 'apiKeyId', connections: 'connectionId' };

const upper = (value: unknown) => String(value).toUpperCase();

/** Conversions for the values of these fields. */
const enumsOf: Readonly<Record<string, (value: unknown) => unknown>> = {
  product: upper,
  granularity: upper,
  status: upper,
  events: (value) => (Array.isArray(value) ? value.map(eventTypeName) : value),
  types: (value) => (Array.isArray(value) ? value.map(eventTypeName) : value),
};

/** Converts REST input to the variables of a document. */
export function variablesOf(action: string, input: Data): Data {
  const entries: [string, unknown][] = Object.entries(input).map(([name, value]) => [
    (name === 'id' ? idNames[action.split('/')[0] ?? ''] : undefined) ??
      spelled[name] ??
      name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    enumsOf[name]?.(value) ?? value,
  ]);
  const fields = Object.fromEntries(entries);
  const { conversationId } = fields;
  // A conversation is read as a node.
  const node = typeof conversationId === 'string' && { conversationId: encodeGlobalID('Conversation', conversationId) };
  return { ...fields, ...node, input: fields };
}

interface Rest {
  at?: string;
  beside?: readonly string[];
  same: Row['same'];
}

function row(parameters: string, selection: string, { at = '', beside = [], same }: Rest): Row {
  return {
    document: withFragments(`(${parameters}) { ${selection} }`),
    at: at === '' ? [/^\w+/.exec(selection)?.[0] ?? ''] : at.split('.'),
    beside,
    same,
  };
}

function query(parameters: string, selection: string, rest: Rest): Row {
  const made = row(parameters, selection, rest);
  return { ...made, document: parameters === '' ? made.document.replace('()', 'query') : `query${made.document}` };
}

const page = '$first: Int, $after: String';
const paged = '(first: $first, after: $after)';
const whose = '$userName: String, $userId: String';
const aUser = 'user(userName: $userName, userId: $userId)';
const ofUser = { beside: ['user/info'] };

function mutation(
  field: string,
  answer: string,
  same: Row['same'] = asGraphql.camel,
  type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`,
): Row {
  const made = row(`$input: ${type}!`, `${field}(input: $input) { ${answer} }`, { same });
  return { ...made, document: `mutation${made.document}` };
}

const hookOfId = 'webhook(webhookId: $webhookId)';
const deliveryFields = 'webhookId eventId type attempt at outcome responseCode durationMs error nextAttemptAt';
const hooksIn = '{ nodes { ...Hook } pageInfo { hasNextPage } }';
const hookMutation = (field: string, answer: string, same: Row['same']) =>
  mutation(field, answer, same, 'WebhookInput');

const articleFields = 'articleId title status tweet { tweetId } draftUrl publicUrl coverMediaId createdAt updatedAt';
const followed = 'userId userName name following followRequestSent protected';
const keyFields =
  'apiKeyId name prefix readOnly groups connections ipRanges callsPerMinute dollarsPerDay expiresAt createdAt revokedAt revocable';
const startedFields = 'connectionId status authorizeUrl expiresAt';
const connectionFields =
  'connectionId status user { userId userName name profilePicture } scopes createdAt lastUsedAt expiresAt signInEndsAt error';
const accountFields = 'accountId name createdAt balance currency lowCreditThreshold';
const inAccount = { beside: ['account'] };

/** The rows of all lists of tweets and users in the schema. */
const ofLists = listFields.map((list) => {
  const nodes = list.items === 'Tweet' ? 'Whole' : 'Card';
  const { parameters, selection, at, calls } = listDocument(list, `nodes { ...${nodes} } pageInfo { hasNextPage }`);
  const same = (data: Data) => (list.items === 'Tweet' ? asGraphql.tweets(data) : asGraphql.users(data));
  return [list.action.name, query(parameters, selection, { at: at.join('.'), beside: calls, same })] as const;
});

/** A row for every action of the registry. */
export const rows: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(ofLists),
  'tweet/detail': query('$tweetId: String!', 'tweet(tweetId: $tweetId) { ...Whole }', { same: asGraphql.tweet }),
  'tweet/lookup': query('$ids: [String!]!', 'tweets(ids: $ids) { tweets { ...Whole } missing { tweetId reason } }', {
    same: ({ tweets, missing }) => ({
      tweets: (tweets as Data[]).map(asGraphql.tweet),
      missing: asGraphql.missing('tweetId', missing),
    }),
  }),
  'tweet/create': mutation('createTweet', 'id text createdAt pendingModeration communityId', asGraphql.created),
  'media/upload': mutation('uploadMedia', 'mediaId mediaType size'),
  'tweet/delete': mutation('deleteTweet', 'tweetId deleted'),
  'tweet/favorite': mutation('likeTweet', 'tweetId liked'),
  'tweet/unlike': mutation('unlikeTweet', 'tweetId unliked'),
  'tweet/bookmark': mutation('bookmarkTweet', 'tweetId bookmarked'),
  'tweet/unbookmark': mutation('unbookmarkTweet', 'tweetId unbookmarked'),
  'tweet/retweet': mutation('retweet', 'tweetId retweeted'),
  'tweet/unretweet': mutation('unretweet', 'tweetId unretweeted'),
  'user/me': query('', 'viewer { ...Profile }', { same: asGraphql.user }),
  'user/info': query(whose, `${aUser} { ...Profile }`, { at: 'user', same: asGraphql.user }),
  'user/lookup': query(
    '$ids: [String!], $userNames: [String!]',
    'users(ids: $ids, userNames: $userNames) { users { ...Profile } missing { userId userName reason } }',
    {
      same: ({ users, missing }) => ({
        users: (users as Data[]).map(asGraphql.user),
        missing: asGraphql.missing('userId', missing),
      }),
    },
  ),
  'user/user_about': query(
    whose,
    `${aUser} { about { accountBasedIn createdVia createdAt isVerified isBlueVerified isIdentityVerified verifiedSince
      usernameChanges { count lastChangedAt } usernameChangeCount usernameLastChangedAt } }`,
    { at: 'user.about', ...ofUser, same: asGraphql.about },
  ),
  'user/follow': mutation('followUser', followed),
  'user/unfollow': mutation('unfollowUser', followed),
  'user/block': mutation('blockUser', 'userId userName name blocking'),
  'user/unblock': mutation('unblockUser', 'userId userName name blocking'),
  'user/mute': mutation('muteUser', 'userId userName name muting'),
  'user/unmute': mutation('unmuteUser', 'userId userName name muting'),
  'article/create': mutation(
    'createArticle',
    'articleId status tweetId draftUrl publicUrl coverMediaId',
    asGraphql.madeArticle,
  ),
  'article/detail': query('$articleId: String!', `article(articleId: $articleId) { ${articleFields} content }`, {
    same: asGraphql.article,
  }),
  'article/list': query(
    `$status: ArticleStatus, ${page}`,
    `articles(status: $status, first: $first, after: $after) { nodes { ${articleFields} } pageInfo { hasNextPage } }`,
    { same: asGraphql.articles },
  ),
  'article/update': mutation('updateArticle', 'articleId updated { title content coverMediaId }'),
  'article/publish': mutation('publishArticle', 'articleId tweetId publicUrl'),
  'article/unpublish': mutation('unpublishArticle', 'articleId'),
  'article/delete': mutation('deleteArticle', 'articleId'),
  'dm/list': query(
    page,
    `conversations${paged} {
      hasMessageRequests pageInfo { hasNextPage } nodes {
        conversationId type isMuted hasMore
        participants { userId userName name url profilePicture isVerified isBlueVerified canDm hasPublicKey createdAt }
        lastMessage { text senderId fromMe seqId createdAt }
      } }`,
    { same: asGraphql.conversations },
  ),
  'dm/messages': query(
    `$conversationId: ID!, ${page}`,
    `node(id: $conversationId) { ... on Conversation { messages${paged} { pageInfo { hasNextPage } nodes {
      messageId seqId senderId fromMe text createdAt edited deleted undecryptable
      reactions { emoji senderId fromMe } attachment { mediaHashKey type filename size width height }
    } } } }`,
    { at: 'node.messages', beside: ['dm/list'], same: asGraphql.messages },
  ),
  'dm/send': mutation('sendMessage', 'ok messageId seqId conversationId text'),
  'dm/send_media': mutation('sendMediaMessage', 'ok messageId conversationId mediaHashKey filename type size text'),
  'dm/edit': mutation('editMessage', 'ok messageId conversationId targetSeqId text'),
  'dm/delete': mutation('deleteMessage', 'ok conversationId targetSeqId'),
  'dm/react': mutation('addReaction', 'ok conversationId targetSeqId emoji', asGraphql.camel, 'ReactionInput'),
  'dm/unreact': mutation('removeReaction', 'ok conversationId targetSeqId emoji', asGraphql.camel, 'ReactionInput'),
  'dm/enroll': { ...mutation('enrollChat', 'ok'), document: 'mutation { enrollChat { ok } }' },
  'webhooks/create': mutation(
    'createWebhook',
    'webhookId: id url valid createdAt secret lastError',
    asGraphql.ofWebhook,
  ),
  'webhooks/list': query(page, `webhooks${paged} ${hooksIn}`, { same: asGraphql.webhooks }),
  'webhooks/detail': query('$webhookId: String!', `${hookOfId} { ...Hook }`, { same: asGraphql.webhook }),
  'webhooks/validate': hookMutation('validateWebhook', 'webhook { ...Hook }', (data) => ({
    webhook: asGraphql.webhook(data),
  })),
  'webhooks/update': mutation('updateWebhook', 'webhook { ...Hook }', (data) => ({ webhook: asGraphql.webhook(data) })),
  'webhooks/test': hookMutation('testWebhook', 'delivered responseCode durationMs error', asGraphql.camel),
  'webhooks/rotate-secret': hookMutation('rotateWebhookSecret', 'webhookId secret', asGraphql.ofWebhook),
  'webhooks/deliveries': query(
    `$webhookId: String!, ${page}`,
    `${hookOfId} { deliveries${paged} { nodes { ${deliveryFields} } pageInfo { hasNextPage } } }`,
    { at: 'webhook.deliveries', beside: ['webhooks/detail'], same: asGraphql.deliveries },
  ),
  'webhooks/delivery': query(
    '$webhookId: String!, $eventId: String!',
    `webhookDelivery(webhookId: $webhookId, eventId: $eventId) {
      ${deliveryFields}
      attempts { attempt at outcome responseCode durationMs error requestHeaders { name value } responseExcerpt }
    }`,
    { same: asGraphql.delivery },
  ),
  'webhooks/resend': mutation('resendWebhookDelivery', `delivery { ${deliveryFields} }`, (data) => ({
    delivery: asGraphql.camel(data),
  })),
  'webhooks/replay': mutation('replayWebhookEvents', 'replayed webhooks { webhookId replayed }', (data) => ({
    ...data,
    webhooks: (data['webhooks'] as Data[]).map(asGraphql.ofWebhook),
  })),
  'webhooks/delete': hookMutation('deleteWebhook', 'webhookId deleted', asGraphql.ofWebhook),
  'connections/create': mutation('createConnection', startedFields, asGraphql.connection),
  'connections/list': query(page, `connections${paged} { nodes { ${connectionFields} } pageInfo { hasNextPage } }`, {
    same: asGraphql.connections,
  }),
  'connections/detail': query(
    '$connectionId: String!',
    `connection(connectionId: $connectionId) { ${connectionFields} }`,
    {
      same: asGraphql.connection,
    },
  ),
  'connections/reconnect': mutation('reconnectConnection', startedFields, asGraphql.connection),
  'connections/delete': mutation('deleteConnection', 'connectionId deleted', ({ id, deleted }) => ({
    connectionId: id,
    deleted,
  })),
  capabilities: query(
    '',
    `capabilities {
      platform actions { name method path supported reason } eventTypes text { unit maxLength maxLengthPremium maxBytes }
      media { kind maxBytes } signIn { scopes defaultScopes }
    }`,
    {
      same: (data) => ({
        ...(asGraphql.camel(data) as Data),
        eventTypes: (data['event_types'] as string[]).map(eventTypeName),
      }),
    },
  ),
  account: query('', `account { ${accountFields} }`, { same: asGraphql.account }),
  'account/update': mutation('updateAccount', 'name balance lowCreditThreshold', (data) => ({
    name: data['name'],
    balance: data['balance'],
    lowCreditThreshold: data['low_credit_threshold'],
  })),
  'account/keys': query('', `account { apiKeys { ${keyFields} } }`, {
    at: 'account.apiKeys',
    ...inAccount,
    same: ({ api_keys: keys }) => (keys as Data[]).map(asGraphql.apiKey),
  }),
  'account/keys/create': mutation('createApiKey', 'name lastUsedAt revokedAt', ({ name }) => ({
    name,
    lastUsedAt: null,
    revokedAt: null,
  })),
  // Each token is new.
  'events/token': mutation('createEventToken', '__typename', () => ({ __typename: 'CreateEventTokenPayload' })),
  'account/keys/revoke': mutation('revokeApiKey', keyFields, asGraphql.apiKey),
  'account/balance': query('', 'account { balance held currency }', {
    ...inAccount,
    same: ({ balance, held, currency }) => ({ balance, held, currency }),
  }),
  'account/usage': query(
    '$from: DateTime, $to: DateTime, $granularity: Granularity',
    'account { usage(from: $from, to: $to, granularity: $granularity) { period endpoint calls charged platformCost errors { code calls } durationMs { p50 p95 p99 } } }',
    { at: 'account.usage', ...inAccount, same: ({ usage }) => (usage as Data[]).map(asGraphql.usageRow) },
  ),
  'account/payments': query(
    page,
    `account { payments${paged} { nodes { paymentId amount currency createdAt description } pageInfo { hasNextPage } } }`,
    { at: 'account.payments', ...inAccount, same: asGraphql.payments },
  ),
  'account/audit': query(
    page,
    `account { audit${paged} { nodes { auditEntryId at action by { type keyId keyName } subject { type id name }
      details { name value } } pageInfo { hasNextPage } } }`,
    { at: 'account.audit', ...inAccount, same: asGraphql.audit },
  ),
  'account/webhooks': query(page, `account { webhooks${paged} ${hooksIn} }`, {
    at: 'account.webhooks',
    ...inAccount,
    same: asGraphql.webhooks,
  }),
};
