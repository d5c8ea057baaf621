import { describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import type { GraphqlClient } from '../support/graphql.ts';
import { restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { McpCaller } from './mcp-caller.ts';
import { seed, shuffled } from './seed.ts';

const micros = 1_000_000;
const { service, sandbox, ada, graphql, newCaller } = await useService({ RATE_LIMIT: '0' });

/** The outcome of a call: the status that REST would have, and the charge in micro-dollars. */
interface Outcome {
  status: number;
  charged: number;
}

const chargeIn = (headers: Headers) => Math.round(Number(headers.get('x-credits-charged') ?? 0) * micros);

/** The ways on which one key can spend the credit of its account. Each call is another one, so that nothing is shared. */
class Spender {
  readonly #rest: Client;
  readonly #graphql: GraphqlClient;
  readonly #mcp: McpCaller;
  readonly #name: string;
  #count = 0;

  constructor(name: string, key: string, authToken: string) {
    this.#name = name;
    this.#rest = ada.with({ key, authToken });
    this.#graphql = graphql.with({ key, authToken });
    this.#mcp = new McpCaller(`${service.origin}/mcp?policy=write`, { key, authToken });
  }

  readonly ways: readonly (() => Promise<Outcome>)[] = [
    () => this.#overRest(this.#rest.get('/user/info', { userName: 'grace' })),
    () => this.#overRest(this.#rest.get('/webhooks')),
    () => this.#overRest(this.#rest.post('/tweet/create', { text: this.#text() })),
    () => this.#overRest(this.#rest.post('/tweet/create', { text: this.#text() }, { 'idempotency-key': this.#text() })),
    () =>
      this.#overGraphql(
        `{ user(userName: "grace") { id followers(first: ${1 + (this.#count++ % 9)}) { nodes { id } } } }`,
      ),
    () => this.#overGraphql(`mutation { createTweet(input: { text: "${this.#text()}" }) { id } }`),
    () => this.#overMcp('user_info', { userName: 'grace' }),
    () => this.#overMcp('tweet_create', { text: this.#text() }),
    () => this.#openStream(),
  ];

  #text(): string {
    return `Spent by ${this.#name} ${seed} ${++this.#count}`;
  }

  async #overRest(answering: ReturnType<Client['get']>): Promise<Outcome> {
    const { status, headers } = await answering;
    return { status, charged: chargeIn(headers) };
  }

  async #overGraphql(document: string): Promise<Outcome> {
    const { status, headers, errors } = await this.#graphql.ask(document);
    return { status: errors[0]?.extensions.status ?? status, charged: chargeIn(headers) };
  }

  async #overMcp(name: string, input: Record<string, unknown>): Promise<Outcome> {
    const { structured } = await this.#mcp.call(name, input);
    const status =
      structured.error === undefined ? 200 : structured.error['code'] === 'insufficient_credits' ? 402 : 500;
    return { status, charged: Math.round(Number(structured.cost.charged) * micros) };
  }

  async #openStream(): Promise<Outcome> {
    const leaving = new AbortController();
    const { headers, options } = this.#rest;
    const response = await fetch(`${options.baseUrl}/events`, { headers, signal: leaving.signal });
    leaving.abort();
    return { status: response.status, charged: chargeIn(response.headers) };
  }
}

describe(`parallel calls of every kind, of three keys of one account (SECURITY_SEED=${seed.toString(16)})`, () => {
  test.each([0.05, 0.123, 1])(
    'spend no more than its %s dollars, and each key no more than its budget',
    async (dollars) => {
      const { key, client: owner } = await newCaller(String(dollars));
      const { authToken } = await sandbox.mint();
      const budget = 0.02;
      const restriction = { dollars_per_day: String(budget) };
      const limited = (await owner.post('/account/keys', { name: 'Limited', ...restriction })).body.data;
      const second = (await owner.post('/account/keys', { name: 'Second' })).body.data;
      const keys = { first: key, second: String(second['key']), limited: String(limited['key']) };
      const calls = Object.entries(keys).flatMap(([name, each]) => {
        const spender = new Spender(`${name} of ${dollars}`, each, authToken);
        return spender.ways.flatMap((way) => Array.from({ length: 8 }, () => ({ name, way })));
      });
      const outcomes = await Promise.all(shuffled(calls).map(async ({ name, way }) => ({ name, ...(await way()) })));
      const sumOf = (of: typeof outcomes) => of.reduce((sum, { charged }) => sum + charged, 0);
      const isFair = ({ status, charged }: Outcome) => (status === 200 ? charged > 0 : status === 402 && charged === 0);
      expect(outcomes.filter((outcome) => !isFair(outcome))).toEqual([]);
      expect(outcomes.some(({ status }) => status === 402)).toBe(true);

      const left = Math.round(Number(await restingBalance(owner)) * micros);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(sumOf(outcomes)).toBe(Math.round(dollars * micros) - left);
      const { total } = (await owner.get('/account/usage')).body.data as { total?: { charged: string } };
      expect(Math.round(Number(total?.charged) * micros)).toBe(sumOf(outcomes));
      expect(sumOf(outcomes.filter(({ name }) => name === 'limited'))).toBeLessThanOrEqual(budget * micros);
    },
  );

  test('under one Idempotency-Key make one tweet and one charge, over REST and MCP at the same time', async () => {
    const { key, client } = await newCaller();
    const { authToken } = await sandbox.mint();
    const owner = client.with({ authToken });
    const second = String((await owner.post('/account/keys', { name: 'Second' })).body.data['key']);
    const text = `Once, whatever the API ${seed}`;
    const under = 'one key for all';
    const ways = [key, second].flatMap((each) => {
      const mcp = new McpCaller(`${service.origin}/mcp?policy=write`, { key: each, authToken });
      return [
        async () => {
          const { status, headers } = await owner
            .with({ key: each })
            .post('/tweet/create', { text }, { 'idempotency-key': under });
          return { done: status === 200, conflict: status === 409, charged: chargeIn(headers) };
        },
        async () => {
          const { structured } = await mcp.call('tweet_create', { text, idempotency_key: under });
          const charged = Math.round(Number(structured.cost.charged) * micros);
          return { done: !structured.error, conflict: structured.error?.['code'] === 'conflict', charged };
        },
      ];
    });
    const outcomes = await Promise.all(shuffled(Array.from({ length: 10 }, () => ways).flat()).map((way) => way()));
    expect(outcomes.filter(({ done, conflict }) => !done && !conflict)).toEqual([]);
    expect(outcomes.reduce((sum, { charged }) => sum + charged, 0)).toBe(1_000);
    expect((await sandbox.tweets()).filter((posted) => posted === text)).toHaveLength(1);
    expect(await restingBalance(owner)).toBe('0.999');
  });
});
