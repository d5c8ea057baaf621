import { afterAll, expect } from 'vitest';
import type { DemoAccount } from '../../src/platform/sandbox/demo-dataset.ts';
import { type Answer, Client } from '../support/client.ts';
import { GraphqlClient } from '../support/graphql.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { startService, type TestService } from '../support/service.ts';

type Data = Record<string, unknown>;

/** The response of REST or GraphQL: its data in REST's form, or the refusal. */
export interface ApiResult {
  status: number;
  data: Data;
  error: string | null;
}

/** An actor that uses either REST or GraphQL. */
export interface Writer {
  readonly face: 'REST' | 'GraphQL';
  readonly account: DemoAccount;
  readonly client: Client;
  act(trigger: Trigger, input: Data, headers?: Record<string, string>): Promise<ApiResult>;
  /** Returns the article as `article/detail` shows it. */
  read(articleId: string): Promise<Data>;
  list(query?: Record<string, string>): Promise<Data[]>;
  /** Returns the texts of the wrapper tweets in `user/articles_tweets`. */
  wrappers(): Promise<Data[]>;
}

export type Trigger = 'create' | 'update' | 'publish' | 'unpublish' | 'delete';

const selections: Readonly<Record<Trigger, string>> = {
  create: 'articleId status tweetId draftUrl publicUrl coverMediaId',
  update: 'articleId updated { title content coverMediaId }',
  publish: 'articleId tweetId publicUrl',
  unpublish: 'articleId',
  delete: 'articleId',
};

const spelled = (value: unknown, rename: (name: string) => string): unknown => {
  if (typeof value !== 'object' || value === null)
    return value === 'DRAFT' || value === 'PUBLISHED' ? value.toLowerCase() : value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), spelled(item, rename)]));
};
const camel = (name: string) => name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export class ArticleFixture {
  readonly service: TestService;
  readonly sandbox: SandboxControl;
  readonly #key: string;

  constructor(service: TestService, key: string) {
    this.service = service;
    this.sandbox = new SandboxControl(service.demo.sandboxUrl);
    this.#key = key;
  }

  /** Creates a new user of the platform. */
  async writer(face: Writer['face'] = 'REST', { premium = true } = {}): Promise<Writer> {
    return this.#writer(face, await this.sandbox.mint({ premium }));
  }

  #writer(face: Writer['face'], account: DemoAccount): Writer {
    const { baseUrl, graphqlUrl } = this.service.demo;
    const { authToken } = account;
    const client = new Client({ baseUrl, key: this.#key, authToken });
    const graphql = new GraphqlClient({ url: graphqlUrl, key: this.#key, authToken });
    const dataOf = ({ status, body }: Answer) => {
      expect(status, String(body.error)).toBe(200);
      return body.data;
    };
    return {
      face,
      account,
      client,
      async act(trigger, input, headers = {}) {
        if (face === 'REST') {
          const { status, body } = await client.post(`/article/${trigger}`, input, headers);
          return { status, data: body.data, error: body.error };
        }
        const field = `${trigger}Article`;
        const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
        const document = `mutation($input: ${type}!) { ${field}(input: $input) { ${selections[trigger]} } }`;
        const answer = await graphql.ask(document, { input: spelled(input, camel) }, headers);
        const [failure] = answer.errors;
        const status = failure?.extensions.status ?? answer.status;
        return { status, data: spelled(answer.data?.[field] ?? null, snake) as Data, error: failure?.message ?? null };
      },
      read: async (article_id) => dataOf(await client.get('/article/detail', { article_id })),
      list: async (query = {}) => dataOf(await client.get('/article/list', query))['articles'] as Data[],
      wrappers: async () =>
        dataOf(await client.get('/user/articles_tweets', { userId: account.userId }))['tweets'] as Data[],
    };
  }

  /** Makes the next calls of an operation fail. */
  fail(operation: string, times = 1, fault: Data = { kind: 'status', status: 503 }): Promise<void> {
    return this.service.addFault(fault, { operation, times });
  }
}

/** Starts the fixture of a test file, which is stopped after its tests. */
export async function startArticleFixture(env: Record<string, string> = {}): Promise<ArticleFixture> {
  const service = await startService({ OUTBOUND_ALLOW: '127.0.0.0/8', ...env });
  afterAll(() => service.stop());
  const { key } = await service.makeAccount('100');
  return new ArticleFixture(service, key);
}

/** Creates an article in a state. */
export async function articleIn(state: 'draft' | 'published', writer: Writer): Promise<string> {
  const made = await writer.act('create', { ...first, publish: state === 'published' });
  expect(made.status, String(made.error)).toBe(200);
  expect(made.data['status']).toBe(state);
  return String(made.data['article_id']);
}

export const first = { title: 'On looms', content: '# Why\n\nThey **remember**.' };
export const second = { title: 'On weaving', content: '# How\n\n- warp\n- weft' };
