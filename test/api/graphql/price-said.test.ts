import { describe, expect, test } from 'vitest';
import { useCallCounts } from './call-count-fixture.ts';

const fixture = await useCallCounts();

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const free = { charged: '0', actions: [] };

describe('what it costs is said', () => {
  test.each([
    ['a document that cannot be parsed', '{ viewer', 400, 400],
    ['a field that is not there', '{ nothing }', 400, 400],
    ['a variable of the wrong type', 'query ($first: Int) { bookmarks(first: $first) { nodes { text } } }', 400, 401],
    ['the schema', '{ __schema { queryType { name } } }', 200, 200],
    ['nothing but a type', '{ __typename }', 200, 200],
    ['what is too deep', `{ viewer ${'{ tweets { nodes { author '.repeat(8)}{ name }${' } } }'.repeat(8)} }`, 400, 401],
  ])('of %s', async (_name, query, withKey, withoutKey) => {
    for (const key of [fixture.ada.options.key ?? '', '']) {
      const answer = await fixture.ada.with({ key }).ask(query, { first: 'many' });
      expect(answer.status).toBe(key === '' ? withoutKey : withKey);
      expect(answer.extensions.cost).toEqual({ quoted: '0', actual: '0', limit: '0.5' });
      expect(answer.extensions.credits).toEqual({ ...free, remaining: key === '' ? null : '100' });
      expect(answer.headers.get('x-credits-charged')).toBeNull();
    }
  });

  test.each([
    ['a body that is no JSON', 'POST', 'not json', {}, 400],
    ['an array', 'POST', '[{"query":"{ __typename }"}]', {}, 400],
    ['a body of another type', 'POST', 'query={viewer{name}}', form, 415],
    ['a body that is too large', 'POST', JSON.stringify({ query: 'x'.repeat(2_000_000) }), {}, 413],
    ['another method', 'PUT', '{}', {}, 405],
    ['a key that nobody has', 'POST', '{"query":"{ viewer { name } }"}', { authorization: 'Bearer nobody' }, 401],
  ] as const)('of %s', async (_name, method, body, headers, status) => {
    const response = await fetch(fixture.service.demo.graphqlUrl, {
      method,
      body,
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    });
    expect(response.status).toBe(status);
    const { errors, extensions } = (await response.json()) as Record<string, unknown>;
    expect(errors).toHaveLength(1);
    expect(extensions).toMatchObject({ cost: { quoted: '0', actual: '0', limit: '0.5' }, credits: free });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });
});

test('each action that ran and succeeded is said, and the account’s usage says the same', async () => {
  const account = await fixture.service.makeAccount('1');
  const mine = fixture.ada.with({ key: account.key });
  const answer = await mine.ask(`{
    viewer { name } a: user(userName: "grace") { about { createdVia } } b: user(userName: "linus") { tweets { nodes { text } } }
    account { name }
  }`);
  expect(answer.errors).toMatchObject([{ path: ['b', 'tweets'], extensions: { code: 'FORBIDDEN', status: 403 } }]);
  const actions = [...answer.extensions.credits.actions].sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(actions).toEqual([
    { name: 'account', calls: 1, charged: '0' },
    { name: 'user/info', calls: 2, charged: '0.002' },
    { name: 'user/me', calls: 1, charged: '0.001' },
    { name: 'user/user_about', calls: 1, charged: '0.001' },
  ]);
  expect(answer.extensions).toMatchObject({
    cost: { quoted: '0.005', actual: '0.004' },
    credits: { charged: '0.004', remaining: '0.996' },
  });
  expect(answer.headers.get('x-credits-charged')).toBe('0.004');
  expect(answer.headers.get('x-credits-remaining')).toBe('0.996');
  const { total, usage } = (await fixture.rest.with({ key: account.key }).get('/account/usage')).body.data as {
    total: unknown;
    usage: { endpoint: string; calls: number }[];
  };
  expect(total).toMatchObject({ calls: 4, charged: '0.004' });
  expect(Object.fromEntries(usage.map(({ endpoint, calls }) => [endpoint, calls]))).toEqual({
    'user/info': 2,
    'user/me': 1,
    'user/tweets_and_replies': 0,
    'user/user_about': 1,
  });
});
