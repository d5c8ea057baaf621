import { describe, expect, test } from 'vitest';
import { AdjustableRuntime } from '../../support/adjustable-runtime.ts';
import type { Client } from '../../support/client.ts';
import type { GraphqlClient } from '../../support/graphql.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const runtime = new AdjustableRuntime();
const env = { RATE_LIMIT: '0', UNAUTHENTICATED_RATE_LIMIT: '20', TRUSTED_PROXIES: '127.0.0.0/8' };
const { service, ada: owner, graphql: ofOwner } = await useService(env, { dollars: '5', runtime });

type Restrictions = Record<string, unknown>;

async function restricted(restrictions: Restrictions) {
  const { data } = (await owner.post('/account/keys', { name: 'Restricted', ...restrictions })).body;
  const { id, key } = data as { id: string; key: string };
  return { id, client: owner.with({ key }), graphql: ofOwner.with({ key }), view: data };
}

const unlimited = { calls_per_minute: null, dollars_per_day: null, expires_at: null };

test('the restrictions of a key are in the response of its creation and in every list', async () => {
  const restrictions = {
    read_only: true,
    groups: ['tweet', 'account'],
    ip_ranges: ['127.0.0.1', '2001:db8::/32'],
    calls_per_minute: 60,
    dollars_per_day: '0.5',
    expires_at: '2100-01-01T01:00:00+01:00',
  };
  const shown = { ...restrictions, expires_at: '2100-01-01T00:00:00.000Z' };
  const { view, client, graphql } = await restricted(restrictions);
  expect(view).toMatchObject(shown);
  const { api_keys: keys } = (await client.get('/account/keys')).body.data as { api_keys: object[] };
  expect(keys[0]).toMatchObject({ name: 'Test key', read_only: false, groups: null, ip_ranges: null, ...unlimited });
  expect(keys.at(-1)).toMatchObject(shown);
  const { data } = await graphql.ask(
    '{ account { apiKeys { readOnly groups ipRanges callsPerMinute dollarsPerDay expiresAt } } }',
  );
  expect(data.account.apiKeys.at(-1)).toEqual({
    readOnly: true,
    groups: ['TWEET', 'ACCOUNT'],
    ipRanges: restrictions.ip_ranges,
    callsPerMinute: 60,
    dollarsPerDay: '0.5',
    expiresAt: shown.expires_at,
  });
});

test('a key is created with restrictions over GraphQL', async () => {
  const { data } = await ofOwner.ask(
    'mutation { createApiKey(input: { name: "G", readOnly: true, groups: [DM] }) { readOnly groups expiresAt } }',
  );
  expect(data.createApiKey).toEqual({ readOnly: true, groups: ['DM'], expiresAt: null });
});

test.each<[Restrictions, string]>([
  [{ read_only: 'yes' }, 'read_only: must be a boolean'],
  [{ groups: [] }, 'groups: must name at least one group, or be left out for all'],
  [{ groups: ['tweets'] }, 'groups[0]: must be one of tweet, user, list, media, article, dm, webhooks, events, '],
  [{ ip_ranges: [] }, 'ip_ranges: must contain at least one range, or be left out for all addresses'],
  [{ ip_ranges: ['10.0.0.1', 'localhost'] }, 'ip_ranges[1]: must be an IP address or a CIDR block'],
  [{ ip_ranges: ['10.0.0.1/8'] }, 'ip_ranges[0]: must be an IP address or a CIDR block'],
  [{ ip_ranges: ['::ffff:10.0.0.0/104'] }, 'ip_ranges[0]: must be an IP address or a CIDR block'],
  [{ ip_ranges: Array.from({ length: 21 }, (_, i) => `10.0.0.${i}`) }, 'ip_ranges: must be at most 20 ranges'],
  [{ calls_per_minute: 0 }, 'calls_per_minute: must be at least 1'],
  [{ calls_per_minute: 1.5 }, 'calls_per_minute: must be a whole number'],
  [{ dollars_per_day: '0' }, 'dollars_per_day: must be more than 0'],
  [{ dollars_per_day: '-1' }, 'dollars_per_day: must be dollars as a decimal string'],
  [{ dollars_per_day: 0.5 }, 'dollars_per_day: must be a string'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at: must be in the future'],
  [{ expires_at: 'tomorrow' }, 'expires_at: '],
])('restrictions that are malformed are 400: %j', async (restrictions, error) => {
  const refused = await owner.post('/account/keys', { name: 'Malformed', ...restrictions });
  expectRefusal(refused, 400);
  expect(refused.body.error).toContain(`Malformed field: ${error}`);
});

const search = (client: Client, headers = {}) => client.get('/tweet/advanced_search', { q: 'from:grace' }, headers);

describe('a read-only key', () => {
  test('reads, and its writes are refused before they run', async () => {
    const { client, graphql } = await restricted({ read_only: true });
    expect((await search(client)).status).toBe(200);
    const text = `never posted ${Date.now()}`;
    const error = 'This API key is read-only, so it may not call tweet/create. Use a key without read_only';
    expectRefusal(await client.post('/tweet/create', { text }), 403, error);
    const create = `createTweet(input: { text: "${text}" }) { id }`;
    const { data, errors, extensions } = await graphql.ask(`mutation { a: ${create} b: ${create} }`);
    expect(data).toEqual({ a: null, b: null });
    expect(errors.map(({ extensions: { code } }) => code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(extensions.cost).toMatchObject({ quoted: '0', actual: '0' });
    expect((await graphql.ask(`{ searchTweets(q: "${text}", first: 1) { nodes { text } } }`)).data).toEqual({
      searchTweets: { nodes: [] },
    });
  });
});

describe('a key of some groups', () => {
  test('may call these groups only, in REST and in every field of GraphQL', async () => {
    const { client, graphql } = await restricted({ groups: ['tweet'] });
    expect((await search(client)).status).toBe(200);
    expectRefusal(
      await client.get('/user/info', { userName: 'grace' }),
      403,
      'This API key may not call user/info, because it is restricted to the groups tweet. Use a key with the group user',
    );
    for (const path of ['/account', '/account/balance', '/webhooks', '/capabilities']) {
      expectRefusal(await client.get(path), 403, /restricted to the groups tweet/);
    }
    const query =
      '{ searchTweets(q: "from:grace", first: 1) { nodes { author { userName tweets(first: 1) { nodes { text } } } } } account { name } }';
    const { data, errors } = await graphql.ask(query);
    expect(data).toEqual({
      searchTweets: { nodes: [{ author: { userName: 'grace', tweets: null } }] },
      account: null,
    });
    expect(errors.map(({ path, extensions: { code } }) => [path?.at(-1), code])).toEqual([
      ['account', 'FORBIDDEN'],
      ['tweets', 'FORBIDDEN'],
    ]);
  });

  test('may read the account if it has this group, or no groups', async () => {
    for (const restrictions of [{ groups: ['account'] }, { read_only: true }]) {
      const { client } = await restricted(restrictions);
      for (const path of ['/account', '/account/balance', '/account/usage', '/account/payments', '/account/keys']) {
        expect((await client.get(path)).status, path).toBe(200);
      }
    }
  });

  test('may open the live stream with the group events only', async () => {
    const { client } = await restricted({ groups: ['webhooks'] });
    expectRefusal(await client.get('/events'), 403, /may not call events/);
  });
});

describe('a kept answer', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key });

  test('is not given to a key that may not call', async () => {
    const { client, graphql } = await restricted({ read_only: true });
    const document = 'mutation { createApiKey(input: { name: "Secret" }) { key } }';
    const create = (by: GraphqlClient) => by.ask(document, {}, keyed('kept-graphql'));
    const first = await create(ofOwner);
    expect(first.data).toEqual({ createApiKey: { key: expect.any(String) } });
    const refused = await create(graphql);
    expect(refused.data).toEqual({ createApiKey: null });
    expect(refused.errors).toMatchObject([{ path: ['createApiKey'], extensions: { code: 'FORBIDDEN' } }]);
    expect(refused.headers.get('idempotent-replayed')).toBeNull();
    expect((await create(ofOwner)).data).toEqual(first.data);

    const body = { name: 'Secret' };
    expect((await owner.post('/account/keys', body, keyed('kept-rest'))).status).toBe(200);
    expectRefusal(await client.post('/account/keys', body, keyed('kept-rest')), 403, /^This API key is read-only/);
  });

  test('is given to keys with the same permissions only if some of its fields are allowed', async () => {
    const { graphql } = await restricted({ groups: ['tweet', 'user'] });
    const { graphql: same } = await restricted({ groups: ['user', 'tweet'], calls_per_minute: 1_000 });
    const document = `mutation {
      createTweet(input: { text: "Kept ${runtime.now()}" }) { id } createApiKey(input: { name: "Secret" }) { key }
    }`;
    const create = (by: GraphqlClient) => by.ask(document, {}, keyed('kept-partly'));
    const first = await create(graphql);
    expect(first.data).toEqual({ createTweet: { id: expect.any(String) }, createApiKey: null });
    expect((await create(same)).data).toEqual(first.data);
    const refused = await create(ofOwner);
    expect([refused.status, refused.data]).toEqual([422, null]);
  });
});

describe('a key of some addresses', () => {
  test('is refused from any other address, as X-Forwarded-For of a trusted proxy states it', async () => {
    const { client } = await restricted({ ip_ranges: ['203.0.113.0/24', '2001:db8::/64'] });
    const from = (address: string) => search(client, { 'x-forwarded-for': address });
    for (const address of ['203.0.113.9', '2001:db8::9', '198.51.100.1, 203.0.113.9']) {
      expect((await from(address)).status, address).toBe(200);
    }
    for (const address of ['203.0.114.1', '203.0.113.9, 198.51.100.1', '2001:db8:0:1::1']) {
      expectRefusal(await from(address), 403, /may not be used from the address .*, which is not in its ip_ranges/);
    }
    const response = await fetch(service.demo.graphqlUrl, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.options.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ account { name } }' }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN', status: 403 } }] });
  });

  test('counts from another address as a request without a valid key', async () => {
    const { client } = await restricted({ ip_ranges: ['203.0.113.1'] });
    const statuses = new Set<number>();
    for (let i = 0; i < 50; i++) statuses.add((await search(client, { 'x-forwarded-for': '198.51.100.77' })).status);
    expect([...statuses]).toEqual([403, 429]);
  });
});

test('a key with a limit of calls has this limit', async () => {
  const { client } = await restricted({ calls_per_minute: 2 });
  expect((await search(client)).headers.get('ratelimit-limit')).toBe('2');
  expect((await search(client)).status).toBe(200);
  expectRefusal(await search(client), 429, /at most 2 calls per minute/);
});

describe('a key with dollars per day', () => {
  test('is refused with 402 before a call would exceed them', async () => {
    const { client, graphql } = await restricted({ dollars_per_day: '0.002' });
    const before = await restingBalance(owner);
    expect((await search(client)).headers.get('x-credits-charged')).toBe('0.001');
    expectRefusal(await search(client.with({ authToken: 'nobody' })), 403);
    expect((await graphql.ask('{ searchTweets(q: "from:grace", first: 1) { nodes { text } } }')).errors).toEqual([]);
    const refused = await search(client);
    const error = /^This API key may be charged at most 0.002 dollars a day, .* resets at .*T00:00:00.000Z/;
    expectRefusal(refused, 402, error);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { errors } = await graphql.ask('{ searchTweets(q: "from:grace", first: 1) { nodes { text } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS', status: 402 } }]);
    expect(Number(before) - Number(await restingBalance(owner))).toBeCloseTo(0.002, 6);
    expect((await client.get('/account/balance')).status).toBe(200);
  });
});

test('a key is refused from its expiry on', async () => {
  const { client } = await restricted({ expires_at: new Date(runtime.now() + 60_000).toISOString() });
  expect((await search(client)).status).toBe(200);
  runtime.leap(60_000);
  expectRefusal(await search(client), 401, /^Invalid API key: it expired at .*Z. Use another key$/);
});

test.each<Restrictions>([
  { calls_per_minute: 1_000 },
  { ip_ranges: ['127.0.0.1'] },
  { groups: ['account'] },
  { expires_at: '2100-01-01T00:00:00Z' },
])('a key with %j cannot manage keys', async (restrictions) => {
  const { client, graphql, id } = await restricted(restrictions);
  const message = /^This API key has restrictions, so it may not call account\/keys\/.*Use a key without restrictions/;
  expectRefusal(await client.post('/account/keys', { name: 'More' }), 403, message);
  expectRefusal(await client.send('DELETE', `/account/keys/${id}`), 403, message);
  const { errors } = await graphql.ask(`mutation { revokeApiKey(input: { apiKeyId: "${id}" }) { revokedAt } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('the demo key cannot be revoked over the API', async () => {
  const demo = owner.with({ key: service.demo.apiKey });
  expectRefusal(await demo.send('DELETE', '/account/keys/key_demo'), 403, /^The demo key cannot be revoked/);
  const { status, body } = await demo.get('/account');
  expect(status).toBe(200);
  expect(body.data['api_keys']).toContainEqual(expect.objectContaining({ id: 'key_demo', revocable: false }));
});
