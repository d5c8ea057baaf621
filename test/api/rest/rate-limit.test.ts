import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada, newCaller } = await useService({ RATE_LIMIT: '5' });
const unlimited = await useService({ RATE_LIMIT: '0' });

const caller = async () => (await newCaller()).client;

describe('a key that may make five calls a minute', () => {
  test('makes five calls, gets the remaining number with each, and is refused the sixth', async () => {
    const client = await caller();
    for (const remaining of ['4', '3', '2', '1', '0']) {
      const answer = await client.get('/account/balance');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-limit')).toBe('5');
      expect(answer.headers.get('ratelimit-policy')).toBe('5;w=60');
      expect(answer.headers.get('ratelimit-remaining')).toBe(remaining);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
    const refused = await client.get('/account/balance');
    expectRefusal(refused, 429, 'This API key may make at most 5 calls per minute. Wait before the next call');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(8);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(12);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });

  test('is refused before its input is looked at, and no other key with it', async () => {
    const client = await caller();
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.get('/user/info')));
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await (await caller()).get('/account/balance')).status).toBe(200);
  });
});

const post = (path: string, body: unknown, accept = '*/*') => ({
  path,
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', accept },
});
const graphql = (query: string, accept?: string) => post('/graphql', { query }, accept);
const mcp = (message: unknown) => post('/mcp', message, 'application/json, text/event-stream');
const subscription = 'subscription { events { id } }';

test.each([
  ['a refusal of REST', 400, { path: '/v1/user/info' }],
  ['a result of GraphQL', 200, graphql('{ account { id } }')],
  ['a refusal of GraphQL', 400, graphql('{ nothing }', 'application/graphql-response+json')],
  ['a stream of REST', 200, { path: '/v1/events' }],
  ['a stream of GraphQL', 200, graphql(subscription, 'text/event-stream')],
  ['a result of the Model Context Protocol', 200, mcp({ jsonrpc: '2.0', id: 1, method: 'ping' })],
  ['a refusal of the Model Context Protocol', 400, mcp('no message')],
])('%s has the headers of the limit', async (_name, status, { path, ...init }) => {
  const headers = { ...('headers' in init && init.headers), ...(await caller()).headers };
  const answer = await fetch(`${service.origin}${path}`, { ...init, headers });
  expect(answer.status).toBe(status);
  const named = ['policy', 'limit', 'remaining', 'reset'].map((name) => answer.headers.get(`ratelimit-${name}`));
  expect(named).toEqual(['5;w=60', '5', '4', expect.stringMatching(/^\d+$/)]);
  await answer.body?.cancel();
});

test('without a valid key nothing is counted', async () => {
  const answer = await ada.with({ key: '' }).get('/account/balance');
  expectRefusal(answer, 401);
  expect(answer.headers.get('ratelimit-limit')).toBeNull();
});

test('a limit of 0 is none', async () => {
  for (let i = 0; i < 20; i++) {
    const answer = await unlimited.ada.get('/account/balance');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
  }
});
