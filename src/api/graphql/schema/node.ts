import { brandWithType } from '@pothos/core';
import { articleDetail } from '../../../actions/article/read.ts';
import { connectionDetail } from '../../../actions/connection/connections.ts';
import { dmList } from '../../../actions/dm/list.ts';
import { tweetDetail } from '../../../actions/tweet/lookup.ts';
import { userInfo } from '../../../actions/user/profiles.ts';
import { webhookDetail } from '../../../actions/webhook/webhooks.ts';
import { malformedField } from '../../../shared/errors/fields.ts';
import type { Article } from '../../../shared/model/article.ts';
import { type ConnectionView, connectionIdPattern } from '../../../shared/model/connection.ts';
import { idPairPattern, numericIdPattern } from '../../../shared/model/scalars.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import type { UserProfile } from '../../../shared/model/user.ts';
import type { WebhookView } from '../../../shared/model/webhook.ts';
import { costs, type NamedObject } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { builder } from './builder.ts';
import { conversationOfId } from './conversation.ts';

interface NodeType {
  id: RegExp;
  named: (id: string) => NamedObject;
  load: (id: string, session: Session) => object | Promise<object>;
}

/** The lookup of each type that has global ids. */
const nodeTypes: Readonly<Record<string, NodeType>> = {
  Tweet: {
    id: numericIdPattern,
    named: (id) => ({ type: 'Tweet', action: tweetDetail, input: { tweet_id: id }, view: 'tweet', shared: true }),
    load: async (id, session) => ({ ...(await session.read<Tweet>(tweetDetail, { tweet_id: id })) }),
  },
  User: {
    id: numericIdPattern,
    named: (id) => ({ type: 'User', action: userInfo, input: { userId: id }, view: 'profile', shared: true }),
    load: async (id, session) => ({ ...(await session.read<UserProfile>(userInfo, { userId: id })) }),
  },
  Article: {
    id: numericIdPattern,
    named: (id) => ({ type: 'Article', action: articleDetail, input: { article_id: id }, view: 'article' }),
    load: async (id, session) => ({ ...(await session.read<Article>(articleDetail, { article_id: id })) }),
  },
  List: {
    id: numericIdPattern,
    named: () => ({ type: 'List', action: null, input: {} }),
    load: (id) => ({ listId: id }),
  },
  Conversation: {
    id: idPairPattern,
    named: () => ({ type: 'Conversation', action: dmList, input: { count: 100 } }),
    load: async (id, session) => ({ ...(await conversationOfId(id, session)) }),
  },
  Webhook: {
    id: /^wh_[\w-]{1,60}$/,
    named: (id) => ({ type: 'Webhook', action: webhookDetail, input: { id } }),
    load: async (id, session) => ({ ...(await session.read<WebhookView>(webhookDetail, { id })) }),
  },
  PlatformLogin: {
    id: connectionIdPattern,
    named: (id) => ({ type: 'PlatformLogin', action: connectionDetail, input: { id } }),
    load: async (id, session) => ({ ...(await session.read<ConnectionView>(connectionDetail, { id })) }),
  },
};

function decode(globalId: unknown): { name: string; type: NodeType; id: string } | null {
  // Does the same as decodeGlobalID of Pothos, which throws an error for an invalid id. Throwing for 10,000 invalid ids in one request
  // would take a second.
  const [name = '', ...rest] = Buffer.from(String(globalId), 'base64').toString().split(':');
  const type = Object.hasOwn(nodeTypes, name) ? nodeTypes[name] : undefined;
  const id = rest.join(':');
  return type?.id.test(id) ? { name, type, id } : null;
}

function namedBy(globalIds: readonly unknown[]): NamedObject[] {
  return globalIds.flatMap((globalId) => {
    const found = decode(globalId);
    return found ? [found.type.named(found.id)] : [];
  });
}

/** These errors are created once and thrown many times, because a request with 10,000 wrong ids would otherwise take 100 ms. */
const notGlobalId = {
  id: malformedField('id', 'is not a global id'),
  ids: malformedField('ids', 'is not a global id'),
};

async function load(field: 'id' | 'ids', globalId: string, session: Session): Promise<object> {
  const found = decode(globalId);
  if (!found) throw notGlobalId[field];
  const object = await found.type.load(found.id, session);
  brandWithType(object, found.name as never);
  return object;
}

const maxNodes = 100;

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'The object with this global id. Costs a call, unless it is a list of users.',
    args: { id: t.arg.id({ required: true, description: 'Global id of an object.' }) },
    ...costs({ objects: ({ id }) => namedBy([id]) }),
    resolve: (_root, { id }, session) => load('id', id, session),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description: `The objects with these global ids, at most ${maxNodes}, in the same order. All tweets cost one call together, and all users one; each other object costs a call, unless it is a list of users.`,
    args: {
      ids: t.arg.idList({
        required: true,
        description: 'Global ids of objects.',
      }),
    },
    ...costs({ objects: ({ ids }) => namedBy(Array.isArray(ids) ? ids.slice(0, maxNodes) : []) }),
    resolve: (_root, { ids }, session) => {
      if (ids.length > maxNodes) throw malformedField('ids', `must be at most ${maxNodes} ids`);
      return ids.map((id) => load('ids', id, session));
    },
  }),
}));
