type Data = Record<string, unknown>;

const userFields = `userId userName name description location url profilePicture coverPicture isVerified isBlueVerified
  verifiedType canDm followersCount followingCount createdAt`;

/** GraphQL fragments with all fields of the objects. The functions below convert REST objects to the same shape. */
export const fragments = `
  fragment Author on User { ${userFields} platformUrl favouritesCount statusesCount mediaCount pinnedTweetIds }
  fragment Card on User { ${userFields} protected statusesCount listedCount }
  fragment Profile on User { ${userFields} protected favouritesCount statusesCount mediaCount listedCount pinnedTweetIds }
  fragment Plain on Tweet {
    tweetId text createdAt lang source url platformUrl likeCount retweetCount replyCount quoteCount bookmarkCount viewCount
    isReply inReplyToId inReplyToUserId conversationId quotedTweetId
    media { type url expandedUrl videoUrl width height durationMs }
    entities {
      hashtags { text indices } symbols { text indices } timestamps { text indices }
      urls { url expandedUrl displayUrl indices } userMentions { userId userName name indices }
    }
    author { ...Author }
  }
  fragment Whole on Tweet { ...Plain quotedTweet { ...Plain } }
  fragment Hook on Webhook {
    webhookId url valid events createdAt hasEncryptionCode lastValidatedAt lastDeliveryAt lastError
    paused state stateReason
  }`;

/** Adds the fragments that a document uses. */
export function withFragments(document: string): string {
  const all = new Map(fragments.split(/^(?= {2}fragment )/m).map((text) => [/fragment (\w+)/.exec(text)?.[1], text]));
  const used = new Set<string>();
  const use = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/\.\.\.([A-Z]\w+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      use(all.get(name) ?? '');
    }
  };
  use(document);
  return [document, ...[...used].map((name) => all.get(name))].join('\n');
}

const iso = (time: unknown) => (time === null ? null : new Date(String(time)).toISOString());

function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      camel(item),
    ]),
  );
}

function user({ type: _type, id, followers, following, tweets, listed, createdAt, ...rest }: Data): Data {
  return {
    ...rest,
    userId: id,
    followersCount: followers,
    followingCount: following,
    createdAt: iso(createdAt),
    ...(tweets !== undefined && { statusesCount: tweets }),
    ...(listed !== undefined && { listedCount: listed }),
  };
}

function plainTweet(data: Data): Data {
  const { type: _type, id, createdAt, author, entities, media, quoted_tweet: _quoted, quoted_tweet_id, ...rest } = data;
  const { userMentions, ...marks } = camel(entities) as { userMentions: Data[] };
  return {
    ...rest,
    tweetId: id,
    quotedTweetId: quoted_tweet_id,
    createdAt: iso(createdAt),
    media: camel(media),
    entities: {
      ...marks,
      userMentions: userMentions.map(({ id, screenName, ...mention }) => ({
        ...mention,
        userId: id,
        userName: screenName,
      })),
    },
    author: user(author as Data),
  };
}

function tweet(data: Data): Data {
  const quoted = data['quoted_tweet'];
  return { ...plainTweet(data), quotedTweet: quoted === null ? null : plainTweet(quoted as Data) };
}

export function eventTypeName(type: unknown): string {
  return String(type).replace('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

function ofWebhook({ id, ...rest }: Data): Data {
  return { webhookId: id, ...(camel(rest) as Data) };
}

function webhook({ events, ...rest }: Data): Data {
  return { ...ofWebhook(rest), events: Array.isArray(events) ? events.map(eventTypeName) : events };
}

function page(items: readonly unknown[], { has_more }: Data) {
  return { nodes: items, pageInfo: { hasNextPage: has_more } };
}

function madeArticle(data: Data): Data {
  return { ...(camel(data) as Data), status: String(data['status']).toUpperCase() };
}

function article(data: Data): Data {
  const { tweetId, ...rest } = madeArticle(data);
  return { ...rest, tweet: tweetId === null ? null : { tweetId } };
}

function connection({ id, user, status, ...rest }: Data): Data {
  const { id: userId, ...named } = (user ?? {}) as Data;
  return {
    connectionId: id,
    status: String(status).toUpperCase(),
    ...(camel(rest) as Data),
    ...(user !== undefined && { user: user && { userId, ...named } }),
  };
}

/** Converts REST responses to their GraphQL form. */
export const asGraphql = {
  user,
  tweet,
  tweets: (data: Data) => page((data['tweets'] as Data[]).map(tweet), data),
  /** Each list has its own field name for its users. */
  users: (data: Data) => page((Object.values(data).find(Array.isArray) as Data[]).map(user), data),
  about: ({ usernameChanges, verifiedSince, ...data }: Data) => {
    const { id: _id, name: _name, userName: _userName, profilePicture: _picture, ...rest } = data;
    const { count, lastChangedAt } = usernameChanges as Data;
    return {
      ...rest,
      verifiedSince: verifiedSince || null,
      usernameChanges: { count, lastChangedAt: lastChangedAt || null },
      usernameChangeCount: count,
      usernameLastChangedAt: lastChangedAt || null,
    };
  },
  missing: (nameOfId: string, list: unknown) =>
    (list as Data[]).map(({ id = null, reason, ...name }) => ({
      [nameOfId]: id,
      ...(nameOfId === 'userId' && { userName: null }),
      ...name,
      reason: String(reason).toUpperCase(),
    })),
  account: (data: Data) => {
    const { id: accountId, apiKeys: _keys, ...rest } = camel(data) as Data;
    return { ...rest, accountId };
  },
  usageRow: ({ errors, duration_ms: durationMs, ...row }: Data) => ({
    ...row,
    errors: Object.entries(errors as Data).map(([code, calls]) => ({ code, calls })),
    durationMs,
  }),
  apiKey: (data: Data) => {
    const { id: apiKeyId, lastUsedAt: _at, ...key } = camel(data) as Data;
    return { ...key, apiKeyId };
  },
  audit: (data: Data) =>
    page(
      (data['audit'] as Data[]).map(({ id, details, ...entry }) => ({
        ...(camel(entry) as Data),
        auditEntryId: id,
        details: Object.entries(details as Data).map(([name, value]) => ({ name, value })),
      })),
      data,
    ),
  payments: (data: Data) => {
    const payments = camel(data['payments']) as Data[];
    return page(
      payments.map(({ id, ...rest }) => ({ ...rest, paymentId: id })),
      data,
    );
  },
  madeArticle,
  article,
  articles: (data: Data) => page((data['articles'] as Data[]).map(article), data),
  ofWebhook,
  webhook,
  conversations: (data: Data) => ({
    ...page(
      (camel(data['conversations']) as Data[]).map(({ participantCount: _count, participants, ...rest }) => ({
        ...rest,
        participants: (participants as Data[]).map(({ type: _type, id, ...participant }) => ({
          userId: id,
          ...participant,
        })),
      })),
      data,
    ),
    hasMessageRequests: data['has_message_requests'],
  }),
  messages: (data: Data) => page(camel(data['messages']) as Data[], data),
  connection,
  connections: (data: Data) => page((data['connections'] as Data[]).map(connection), data),
  webhooks: (data: Data) => page((data['webhooks'] as Data[]).map(webhook), data),
  deliveries: (data: Data) => page(camel(data['deliveries']) as Data[], data),
  delivery: ({ attempts, ...rest }: Data) => ({
    ...(camel(rest) as Data),
    attempts: (attempts as Data[]).map(({ request_headers, ...attempt }) => ({
      ...(camel(attempt) as Data),
      requestHeaders: Object.entries(request_headers as Data).map(([name, value]) => ({ name, value })),
    })),
  }),
  created: (data: Data) => ({ ...(camel(data) as Data), createdAt: iso(data['createdAt']) }),
  camel: (data: Data) => camel(data) as Data,
};
