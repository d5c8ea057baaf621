import { expect } from 'vitest';
import type { DemoAccount } from '../../src/platform/sandbox/demo-dataset.ts';
import type { Answer, Client } from '../support/client.ts';
import type { GraphqlClient } from '../support/graphql.ts';
import { useService } from '../support/use-service.ts';

type Data = Record<string, unknown>;

/** The response of REST or GraphQL: its data in REST's form, or the refusal. */
interface ApiResult {
  status: number;
  data: Data;
  error: string | null;
}

/** An actor that uses either REST or GraphQL. */
export interface Writer {
  readonly face: 'REST' | 'GraphQL';
  readonly account: DemoAccount;
  readonly client: Client;
  readonly graphql: GraphqlClient;
  act(trigger: Trigger, input: Data, headers?: Record<string, string>): Promise<ApiResult>;
  /** Returns the article as `article/detail` shows it. */
  read(articleId: string): Promise<Data>;
  list(query?: Record<string, string>): Promise<Data[]>;
  /** Returns the texts of the wrapper tweets in `user/articles_tweets`. */
  wrappers(): Promise<Data[]>;
}

type Trigger = 'create' | 'update' | 'publish' | 'unpublish' | 'delete';

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

/** Starts a service for the tests of a file, and stops it after them. */
export async function startArticleFixture(env: Record<string, string> = {}) {
  const settings = { OUTBOUND_ALLOW: '127.0.0.0/8', ...env };
  const { service, sandbox, ada, graphql: ofAda } = await useService(settings, { dollars: '100' });

  /** Creates a new user of the platform. */
  async function writer(face: Writer['face'] = 'REST', { premium = true } = {}): Promise<Writer> {
    const account = await sandbox.mint({ premium });
    const { authToken } = account;
    const client = ada.with({ authToken });
    const graphql = ofAda.with({ authToken });
    const dataOf = ({ status, body }: Answer) => {
      expect(status, String(body.error)).toBe(200);
      return body.data;
    };
    return {
      face,
      account,
      client,
      graphql,
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
  const fail = (operation: string, times = 1, fault: Data = { kind: 'status', status: 503 }) =>
    service.addFault(fault, { operation, times });
  return { service, sandbox, writer, fail };
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
