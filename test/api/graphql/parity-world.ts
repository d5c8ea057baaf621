import type { Action } from '../../../src/actions/action.ts';
import { dmEdit } from '../../../src/actions/dm/edit.ts';
import { dmList } from '../../../src/actions/dm/list.ts';
import type { DemoAccount } from '../../../src/platform/sandbox/demo-dataset.ts';
import { type Answer, Client } from '../../support/client.ts';
import { type GraphqlAnswer, GraphqlClient } from '../../support/graphql.ts';
import { startReceiver, type TestReceiver } from '../../support/receiver.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';
import { ConversationOfFaces, conversationBetween } from './parity-messages.ts';
import { rows, variablesOf } from './parity-rows.ts';
import { prepareWebhook, WebhookOfFaces } from './parity-webhooks.ts';

type Input = Record<string, unknown>;

/** What an action is done to: another account, and a tweet and a webhook of the actor's own. */
interface Target {
  user: DemoAccount;
  tweetId: string;
  hook: WebhookOfFaces;
  /** Nobody's until it is written. */
  articleId: string;
  /** How many uploads there were before. */
  uploads: number;
  chat: ConversationOfFaces;
}

interface RowAnswer extends GraphqlAnswer {
  found: unknown;
  chargedFor(action: Action): unknown;
  others(action: Action): readonly { name: string }[];
}

/** One caller, with an account and an actor of its own, over both faces. */
export interface Faces {
  client: Client;
  target: Target;
  rest(action: Action, input: Input, headers?: Record<string, string>): Promise<Answer>;
  graphql(action: Action, input: Input, headers?: Record<string, string>): Promise<RowAnswer>;
  usage(action: Action): Promise<unknown>;
  with(changes: { key?: string; authToken?: string }): Faces;
}

/** What must have been done for an action to change something. */
const before: Readonly<Record<string, string>> = {
  'tweet/unlike': 'tweet/favorite',
  'tweet/unbookmark': 'tweet/bookmark',
  'tweet/unretweet': 'tweet/retweet',
  'user/unfollow': 'user/follow',
};

export class ParityWorld {
  readonly service: TestService;
  readonly sandbox: SandboxControl;
  readonly receiver: TestReceiver;
  readonly #talkedAbout: string;

  constructor(service: TestService, sandbox: SandboxControl, receiver: TestReceiver, talkedAbout: string) {
    this.service = service;
    this.sandbox = sandbox;
    this.receiver = receiver;
    this.#talkedAbout = talkedAbout;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.receiver.stop();
  }

  /** A new account; reads are made as ada, who has a past, writes as a newcomer. */
  async faces(dollars = '1', { name }: { name?: string } = {}): Promise<Faces> {
    const { key } = await this.service.makeAccount(dollars);
    // Premium, since some of what is compared is for them alone.
    const wishes = { premium: true, ...(name === 'dm/enroll' && { chatKeys: false }) };
    const [actor, user] = [await this.sandbox.mint(wishes), await this.sandbox.mint()];
    const writer = new Client({ baseUrl: this.service.demo.baseUrl, key, authToken: actor.authToken });
    // On another account's credit, so that only what is compared is counted.
    const made = await writer
      .with({ key: this.service.demo.apiKey })
      .post('/tweet/create', { text: 'What the parity of two faces is shown by' });
    const hook = new WebhookOfFaces(writer, actor.userName, this.receiver);
    const uploads = await this.sandbox.requests('uploadMedia');
    const chat = new ConversationOfFaces(writer.with({ key: this.service.demo.apiKey }), actor, user);
    const target = { user, tweetId: String(made.body.data['id']), hook, uploads, articleId: '1', chat };
    return this.#faces(writer, target);
  }

  /**
   * Has the chat keys of both actors recovered, so that they are known to the gateway, and a message said. The sandbox enrolls
   * an account when its realms are first asked for it, which takes longer than a call may here, so they are asked before.
   */
  async knowChatKeys(faces: Faces): Promise<void> {
    const { authToken: ada = '' } = this.service.demo.accounts[0] ?? {};
    for (const token of [ada, faces.client.options.authToken ?? '', faces.target.user.authToken]) {
      for (const realm of [1, 2, 3]) {
        const url = `${this.service.demo.sandboxUrl}/realms/${realm}/record`;
        await (await fetch(url, { headers: { cookie: `auth_token=${token}` } })).body?.cancel();
      }
    }
    await faces.target.chat.prepare('dm/edit');
    for (const action of [dmList, dmEdit]) {
      const answer = await faces.rest(action, await this.inputFor(action, faces.target));
      if (answer.status !== 200) throw new Error(`${action.name}: ${answer.body.error}`);
    }
  }

  #faces(client: Client, target: Target): Faces {
    const { authToken: ada = '', encryptionCode: codeOfAda = '' } = this.service.demo.accounts[0] ?? {};
    const { authToken = '' } = client.options;
    const newcomer = authToken;
    const as = ({ effect }: Action) =>
      effect === 'read' && newcomer !== '' && newcomer !== 'nobody' ? client.with({ authToken: ada }) : client;
    const codeFor = (action: Action): Record<string, string> => {
      if (action.code === 'none') return {};
      return { 'x-encryption-code': as(action) === client ? target.chat.code : codeOfAda };
    };
    return {
      client,
      target,
      with: (changes) => this.#faces(client.with(changes), target),
      rest: (action, input, headers = {}) => as(action).call(action, input, { ...codeFor(action), ...headers }),
      graphql: async (action, input, headers = {}) => {
        const { key = '', authToken = '' } = as(action).options;
        const caller = new GraphqlClient({ url: this.service.demo.graphqlUrl, key, authToken });
        const answer = await caller.ask(rows[action.name]?.document ?? '', variablesOf(input), {
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
        return found && { calls: found['calls'], charged: found['charged'] };
      },
    };
  }

  /** The action's example, about what there is in this world. */
  async inputFor({ name, example, effect }: Action, { user, tweetId, hook, articleId, chat }: Target): Promise<Input> {
    const input: Input = { ...example };
    const [ada, grace] = this.service.demo.accounts;
    if (name.startsWith('dm/')) chat.fill(input);
    if (name === 'dm/messages' && ada && grace) input['conversation_id'] = conversationBetween(ada, grace);
    if ('tweet_id' in input) input['tweet_id'] = effect === 'read' ? this.#talkedAbout : tweetId;
    if ('article_id' in input) input['article_id'] = articleId;
    if ('listId' in input) input['listId'] = this.service.demo.listId;
    if ('username' in input) input['username'] = user.userName;
    if ('id' in input) input['id'] = hook.id;
    if ('url' in input) input['url'] = hook.url;
    if ('count' in input) input['count'] = 3;
    return input;
  }

  async prepare({ name }: Action, { client, target }: Faces): Promise<void> {
    await prepareWebhook(name, target.hook, this.sandbox);
    if (name.startsWith('article/') && name !== 'article/create') {
      const published = name === 'article/detail' || name === 'article/unpublish';
      target.articleId = await writeArticle(client.with({ key: this.service.demo.apiKey }), published);
    }
    await target.chat.prepare(name);
    const earlier = before[name];
    if (earlier === undefined) return;
    const others = client.with({ key: this.service.demo.apiKey });
    const input = earlier === 'user/follow' ? { user_id: target.user.userId } : { tweet_id: target.tweetId };
    await others.post(`/${earlier}`, input);
  }

  /** Waits for what an action sets going. */
  async settle({ name }: Action, { target: { hook } }: Faces): Promise<void> {
    if (name === 'webhooks/replay') await hook.received(2);
  }

  /** All that an action can change about the caller's actor. */
  async state({ client, target }: Faces, { name }: { name?: string } = {}): Promise<unknown> {
    const actor = client.with({ key: this.service.demo.apiKey });
    const me = (await actor.get('/user/me')).body.data;
    const userName = String(me['userName']);
    const tweet = await actor.get('/tweet/detail', { tweet_id: target.tweetId });
    const texts = async (path: string, query: Record<string, string>, name: string, field: string) =>
      ((await actor.get(path, query)).body.data[name] as Record<string, unknown>[]).map((item) => item[field]);
    const { likeCount, retweetCount, bookmarkCount } = tweet.body.data ?? {};
    return {
      ...{ tweetStatus: tweet.status, likeCount, retweetCount, bookmarkCount },
      tweets: await texts('/user/tweets_and_replies', { userName }, 'tweets', 'text'),
      bookmarks: await texts('/user/bookmarks', {}, 'tweets', 'text'),
      articles: (await articlesOf(actor)).map(({ title, status }) => [title, status]),
      ...(await target.hook.state()),
      uploads: (await this.sandbox.requests('uploadMedia')) - target.uploads,
      ...(name?.startsWith('dm/') && (await target.chat.state())),
      following: (await texts('/user/following', { userName }, 'following', 'id')).length,
    };
  }

  /** Without what differs from one newcomer to the next. */
  bare(shown: unknown, faces: Faces): unknown {
    if (Array.isArray(shown)) return shown.map((item) => this.bare(item, faces));
    const { user, tweetId, hook, chat } = faces.target;
    const own: Record<string, string> = {
      ...{ [user.userId]: 'user', [user.userName]: 'name', [tweetId]: 'tweet' },
      ...{ wh_: 'webhook', [hook.url]: 'url' },
    };
    if (typeof shown !== 'object' || shown === null)
      return own[String(shown).replace(/^wh_.*/, 'wh_')] ?? chat.bare(String(shown)) ?? shown;
    const chance = [
      ...['id', 'mediaId', 'articleId', 'tweetId', 'draftUrl', 'publicUrl', 'durationMs', 'secret'],
      ...['messageId', 'seqId', 'mediaHashKey'],
    ];
    return Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [
        name,
        value !== null && (chance.includes(name) || name.endsWith('At'))
          ? (own[String(value)] ?? typeof value)
          : this.bare(value, faces),
      ]),
    );
  }
}

async function writeArticle(client: Client, publish: boolean): Promise<string> {
  const article = { title: 'Of two faces', content: 'They say **the same**.', publish };
  return String((await client.post('/article/create', article)).body.data['article_id']);
}

async function articlesOf(client: Client): Promise<Input[]> {
  return (await client.get('/article/list')).body.data['articles'] as Input[];
}

export async function startParityWorld(env: Record<string, string> = {}): Promise<ParityWorld> {
  const service = await startService(env);
  const { baseUrl, apiKey, sandboxUrl, accounts } = service.demo;
  const ada = new Client({ baseUrl, key: apiKey, authToken: accounts[0]?.authToken ?? '' });
  const made = await ada.post('/tweet/create', { text: 'A tweet that is answered' });
  const id = String(made.body.data['id']);
  const sandbox = new SandboxControl(sandboxUrl);
  const userName = accounts[0]?.userName ?? '';
  for (const type of ['reply', 'quote', 'retweet']) await sandbox.makeEvents({ type, userName, tweetId: id, count: 2 });
  await ada.post('/tweet/bookmark', { tweet_id: id });
  for (const published of [true, false]) await writeArticle(ada, published);
  return new ParityWorld(service, sandbox, await startReceiver(), id);
}
