import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { type Answer, Client } from '../../support/client.ts';
import { type GraphqlAnswer, GraphqlClient } from '../../support/graphql.ts';
import type { TestReceiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { ParityConversation } from './parity-messages.ts';
import { needs, type OwnThing } from './parity-needs.ts';
import type { ParityPlatform, PlatformActor } from './parity-platform.ts';
import { rows, variablesOf } from './parity-rows.ts';
import { needsDelivery, ParityWebhook, prepareWebhook } from './parity-webhooks.ts';

type Input = Record<string, unknown>;

/** The objects that actions act on: another account, and a tweet and a webhook of the actor. */
interface Target {
  user: PlatformActor;
  tweetId: string;
  hook: ParityWebhook;
  /** An id that does not exist until the article is written. */
  articleId: string;
  /** An id that does not exist until the key is created. */
  apiKeyId: string;
  /** An id that does not exist until the connection is created. */
  connectionId: string;
  /** The number of earlier uploads. */
  uploads: number;
  chat: ParityConversation;
}

interface RowAnswer extends GraphqlAnswer {
  found: unknown;
  chargedFor(action: Action): unknown;
  others(action: Action): readonly { name: string }[];
}

/** The REST and GraphQL clients of one caller with its own account and actor. */
export interface ApiClients {
  client: Client;
  target: Target;
  rest(action: Action, input: Input, headers?: Record<string, string>): Promise<Answer>;
  graphql(action: Action, input: Input, headers?: Record<string, string>): Promise<RowAnswer>;
  usage(action: Action): Promise<unknown>;
  with(changes: { key?: string; authToken?: string }): ApiClients;
}

/** The action that must run first so that an action has an effect. */
const before: Readonly<Record<string, string>> = {
  'tweet/unlike': 'tweet/favorite',
  'tweet/unbookmark': 'tweet/bookmark',
  'tweet/unretweet': 'tweet/retweet',
  'user/unfollow': 'user/follow',
  'user/unblock': 'user/block',
  'user/unmute': 'user/mute',
};

/** Returns true for an action whose effect is that tweets of another user are hidden or shown. */
const hidesOthers = (name = '') => /^user\/(?:un)?(?:block|mute)$/.test(name);

/** The maximum number of reads until the state has settled. */
const maxTries = 300;

const tweetText = 'What the parity of two faces is shown by';

export class ParityFixture<Platform extends ParityPlatform = ParityPlatform> {
  readonly platform: Platform;
  readonly receiver: TestReceiver;

  constructor(platform: Platform, receiver: TestReceiver) {
    this.platform = platform;
    this.receiver = receiver;
  }

  async stop(): Promise<void> {
    await this.platform.stop();
    await this.receiver.stop();
  }

  /** Creates an account. Reads act as the reader, who has data; writes act as a new user with a tweet. */
  async apiClients(dollars = '1', action?: Action): Promise<ApiClients> {
    const { baseUrl, payerKey, supports } = this.platform;
    const { key } = await this.platform.makeAccount(dollars);
    // The events of an actor are delivered to the webhooks of earlier tests, too, so a webhook needs a new actor.
    const acts = ({ effect, name }: Action) => supports(name) && (effect !== 'read' || /\bwebhooks\b/.test(name));
    const writes = supports('tweet/create') && (action === undefined || acts(action));
    const { actor, user } = await this.platform.newActors({ writes, chatKeys: action?.name !== 'dm/enroll' });
    const writer = new Client({ baseUrl, key, authToken: actor.authToken });
    // These calls are paid by another account, so that only the compared calls are counted.
    const unpaid = writer.with({ key: payerKey });
    const tweetId = writes ? await this.#writeTweet(unpaid, actor.userName) : '1';
    if (hidesOthers(action?.name)) {
      const other = unpaid.with({ authToken: user.authToken });
      await other.post('/tweet/create', { text: `Hello @${actor.userName}` });
      const named = async () => (await unpaid.get('/user/mentions')).body.data['tweet_count'];
      await until(async () => expect(await named()).toBe(1));
    }
    const hook = new ParityWebhook(writer, actor.userName, this.receiver);
    const uploads = await this.platform.uploads();
    const chat = new ParityConversation(unpaid, actor, user);
    return this.#faces(writer, {
      user,
      tweetId,
      hook,
      uploads,
      articleId: '1',
      apiKeyId: 'key_1',
      connectionId: 'conn_1',
      chat,
    });
  }

  /** Creates a tweet and waits until it is in the list of its author's tweets. */
  async #writeTweet(client: Client, userName: string): Promise<string> {
    const made = await client.post('/tweet/create', { text: tweetText });
    const id = String(made.body.data['id']);
    const listed = async () => {
      const { tweets } = (await client.get('/user/tweets_and_replies', { userName })).body.data;
      return (tweets as Input[]).map((tweet) => tweet['id']);
    };
    await until(async () => expect(await listed()).toEqual([id]));
    return id;
  }

  /** Returns the state of a caller after it has settled: two reads are equal, consistent, and differ from `before`. */
  async settledState(apiClients: ApiClients, action: Action, before: unknown = null): Promise<unknown> {
    const { settlingMs } = this.platform;
    let state = await this.state(apiClients, action);
    let isSettled = settlingMs === 0;
    for (let tries = 0; !isSettled && tries < maxTries; tries += 1) {
      await sleep(settlingMs);
      const next = await this.state(apiClients, action);
      isSettled = isDeepStrictEqual(next, state) && !isDeepStrictEqual(next, before) && isConsistent(next);
      state = next;
    }
    if (!isSettled) throw new Error(`the state after ${action.name} does not settle: ${JSON.stringify(state)}`);
    return state;
  }

  /** True if the platform supports the action and can provide what the action needs. */
  canRun({ name }: Action): boolean {
    const { supports, follow } = this.platform;
    if (follow === null && needsDelivery.test(name)) return false;
    return supports(name) && (!/\bwebhooks\b/.test(name) || supports('webhooks/create'));
  }

  #faces(client: Client, target: Target): ApiClients {
    const { reader } = this.platform;
    const { authToken: newcomer = '' } = client.options;
    const as = ({ effect }: Action) =>
      effect === 'read' && newcomer !== '' && newcomer !== 'nobody'
        ? client.with({ authToken: reader.authToken })
        : client;
    const codeFor = (action: Action): Record<string, string> => {
      const { supports } = this.platform;
      if (action.code === 'none' || (action.code === 'optional' && !supports('dm/list'))) return {};
      return { 'x-encryption-code': as(action) === client ? target.chat.code : reader.encryptionCode };
    };
    return {
      client,
      target,
      with: (changes) => this.#faces(client.with(changes), target),
      rest: (action, input, headers = {}) => as(action).call(action, input, { ...codeFor(action), ...headers }),
      graphql: async (action, input, headers = {}) => {
        const { key = '', authToken = '' } = as(action).options;
        const caller = new GraphqlClient({ url: this.platform.graphqlUrl, key, authToken });
        const answer = await caller.ask(rows[action.name]?.document ?? '', variablesOf(action.name, input), {
          ...codeFor(action),
          ...headers,
        });
        const charged = answer.extensions?.credits.actions ?? [];
        return {
          ...answer,
          found: rows[action.name]?.at.reduce((value, name) => value?.[name], answer.data),
          chargedFor: ({ name }) => charged.find((each) => each.name === name),
          others: ({ name }) => charged.filter((each) => each.name !== name),
        };
      },
      usage: async ({ name }) => {
        const { usage } = (await client.get('/account/usage')).body.data as { usage: { endpoint: string }[] };
        const found = usage.find(({ endpoint }) => endpoint === name) as Input | undefined;
        return found?.['calls'] ? { calls: found['calls'], charged: found['charged'] } : undefined;
      },
    };
  }

  /** Returns the action's example with ids of this fixture. */
  inputFor({ name, example }: Action, { user, tweetId, hook, articleId, apiKeyId, connectionId, chat }: Target): Input {
    const own: Record<OwnThing, string> = {
      ownTweet: tweetId,
      ownArticle: articleId,
      ownWebhook: hook.id,
      ownEvent: hook.eventId,
      ownApiKey: apiKeyId,
      ownConnection: connectionId,
      receiverUrl: hook.url,
      otherUser: user.userName,
      otherUserId: user.userId,
      ownConversation: chat.id,
      ownMessage: chat.seqId,
    };
    const provided = { ...this.platform.shared, ...own };
    const input: Input = { ...example };
    for (const [field, need] of Object.entries(needs[name] ?? {})) input[field] = provided[need];
    if ('count' in input) input['count'] = 3;
    return input;
  }

  /** Creates what the action needs to have an effect. */
  async prepare(action: Action, apiClients: ApiClients): Promise<void> {
    const { name } = action;
    const { client, target } = apiClients;
    await prepareWebhook(name, target.hook, this.platform);
    if (name.startsWith('article/') && name !== 'article/create') {
      const published = name === 'article/detail' || name === 'article/unpublish';
      target.articleId = await writeArticle(client.with({ key: this.platform.payerKey }), published);
    }
    if (name === 'account/keys/revoke') {
      target.apiKeyId = String((await client.post('/account/keys', { name: 'A key' })).body.data['id']);
    }
    if (name.startsWith('connections/') && name !== 'connections/create') {
      target.connectionId = String((await client.post('/connections')).body.data['id']);
    }
    await target.chat.prepare(name);
    const earlier = before[name];
    if (earlier === undefined) return;
    const others = client.with({ key: this.platform.payerKey });
    const input = earlier.startsWith('user/') ? { user_id: target.user.userId } : { tweet_id: target.tweetId };
    const without = await this.settledState(apiClients, action);
    await others.post(`/${earlier}`, input);
    await this.settledState(apiClients, action, without);
  }

  /** Waits for the effects of an action. */
  async settle({ name }: Action, { target: { hook } }: ApiClients): Promise<void> {
    if (name === 'webhooks/replay' || name === 'webhooks/resend') await hook.received(2);
  }

  /** Returns everything that an action can change about the caller's actor. */
  async state({ client, target }: ApiClients, { name }: { name?: string } = {}): Promise<unknown> {
    const actor = client.with({ key: this.platform.payerKey });
    const me = (await actor.get('/user/me')).body.data;
    const userName = String(me['userName']);
    const tweet = await actor.get('/tweet/detail', { tweet_id: target.tweetId });
    const texts = async (path: string, query: Record<string, string>, name: string, field: string) =>
      ((await actor.get(path, query)).body.data[name] as Record<string, unknown>[]).map((item) => item[field]);
    const { api_keys: apiKeys, low_credit_threshold: threshold } = (await client.get('/account')).body.data;
    const { audit } = (await client.get('/account/audit')).body.data as { audit: Input[] };
    const keys = apiKeys as { name: string; revoked_at: unknown }[];
    const { likeCount, retweetCount, bookmarkCount } = tweet.body.data ?? {};
    return {
      tweetStatus: tweet.status,
      likeCount,
      retweetCount,
      bookmarkCount,
      tweets: await texts('/user/tweets_and_replies', { userName }, 'tweets', 'text'),
      bookmarks: await texts('/user/bookmarks', {}, 'tweets', 'text'),
      ...(this.platform.supports('article/list') && { articles: await articlesOf(actor) }),
      threshold,
      changes: audit.map(({ action }) => action),
      apiKeys: keys.map((key) => [key.name, key.revoked_at !== null]),
      ...(await target.hook.state()),
      uploads: (await this.platform.uploads()) - target.uploads,
      ...(name?.startsWith('dm/') && (await target.chat.state())),
      ...(hidesOthers(name) && { mentions: (await texts('/user/mentions', {}, 'tweets', 'text')).length }),
      following: (await texts('/user/following', { userName }, 'following', 'id')).length,
    };
  }

  /** Removes values that differ between new users. */
  bare(shown: unknown, apiClients: ApiClients): unknown {
    if (Array.isArray(shown)) return shown.map((item) => this.bare(item, apiClients));
    const { user, tweetId, hook, chat } = apiClients.target;
    const own: Record<string, string> = {
      [user.userId]: 'user',
      [user.userName]: 'name',
      [tweetId]: 'tweet',
      wh_: 'webhook',
      [hook.url]: 'url',
    };
    if (typeof shown !== 'object' || shown === null)
      return own[String(shown).replace(/^wh_.*/, 'wh_')] ?? chat.bare(String(shown)) ?? shown;
    const chance = [
      ...['id', 'mediaId', 'articleId', 'tweetId', 'draftUrl', 'publicUrl', 'durationMs', 'secret'],
      ...['messageId', 'seqId', 'mediaHashKey', 'apiKeyId', 'prefix', 'eventId', 'at'],
      ...['connectionId', 'authorizeUrl'],
    ];
    return Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [
        name,
        value !== null && (chance.includes(name) || name.endsWith('At'))
          ? (own[String(value)] ?? typeof value)
          : this.bare(value, apiClients),
      ]),
    );
  }
}

export async function writeArticle(client: Client, publish: boolean): Promise<string> {
  const article = { title: 'Of two faces', content: 'They say **the same**.', publish };
  return String((await client.post('/article/create', article)).body.data['article_id']);
}

/**
 * Returns false if one part of the state shows a write and another part does not show it yet. The tweet must be listed if and only if it can
 * be read. The tweet of an article must be listed if and only if the article is published.
 */
function isConsistent(state: unknown): boolean {
  const {
    tweetStatus,
    tweets,
    articles = [],
  } = state as {
    tweetStatus: number;
    tweets: string[];
    articles?: [title: string, status: string][];
  };
  const isListed = (text: string) => tweets.includes(text);
  return (
    isListed(tweetText) === (tweetStatus === 200) &&
    articles.every(([title, status]) => isListed(title) === (status === 'published'))
  );
}

async function articlesOf(client: Client): Promise<unknown[]> {
  const { articles } = (await client.get('/article/list')).body.data;
  return (articles as Input[]).map(({ title, status }) => [title, status]);
}
