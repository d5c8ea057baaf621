import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../../support/client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useService } from '../../support/use-service.ts';

interface Row {
  period: string;
  endpoint: string;
  calls: number;
  charged: string;
  platform_cost: string;
  errors: Record<string, number>;
  duration_ms: { p50: number; p95: number; p99: number } | null;
}

const { service, newCaller } = await useService({ RATE_LIMIT: '0' });
const limited = await useService({ RATE_LIMIT: '2' });

async function rowsOf(client: Client, granularity = 'day'): Promise<Record<string, Row>> {
  const { usage } = (await client.get('/account/usage', { granularity })).body.data as unknown as { usage: Row[] };
  return Object.fromEntries(usage.map((row) => [row.endpoint, row]));
}

const info = (client: Client, userName = 'grace') => client.get('/user/info', { userName });

test('usage has the durations of successful calls and the errors of failed ones by code', async () => {
  const { client } = await newCaller('0.003');
  await service.addFault({ kind: 'latency', ms: 300 }, { operation: 'getUsersByUsername', times: 1 });
  for (let call = 0; call < 3; call++) expect((await info(client)).status).toBe(200);
  await info(client, 'nobody_has_this_name');
  await info(client);
  await client.get('/user/info', {});
  await client.post('/tweet/favorite', { tweet_id: 'x' });
  await client.post('/account/keys', { name: '' });
  const rows = await rowsOf(client);
  const { errors, calls, duration_ms: durations } = rows['user/info'] as Row;
  expect(calls).toBe(3);
  expect(errors).toEqual({ bad_input: 1, insufficient_credits: 2 });
  expect(durations?.p50).toBeGreaterThan(0);
  expect(durations?.p99).toBeGreaterThan(270);
  expect(durations?.p99).toBeGreaterThanOrEqual(durations?.p95 ?? Number.NaN);
  const failed = { calls: 0, charged: '0', errors: { bad_input: 1 }, duration_ms: null };
  expect(rows).toMatchObject({ 'tweet/favorite': failed, 'account/keys/create': failed });
  expect(rows['account/usage']).toBeUndefined();
  expect((await rowsOf(client, 'hour'))['user/info']).toMatchObject({ calls, errors, duration_ms: durations });
});

test('a call that the platform refused is an error of its account, and a request without a valid key is an error of nobody', async () => {
  const { client } = await newCaller('1');
  const { client: other } = await newCaller('1');
  await info(client, 'nobody_has_this_name');
  const { status } = await client.with({ key: 'pstn_invalid' }).get('/user/info', { userName: 'grace' });
  expect(status).toBe(401);
  expect((await rowsOf(client))['user/info']).toMatchObject({ calls: 0, errors: { not_found: 1 } });
  expect(await rowsOf(other)).toEqual({});
});

test('a call over the rate limit is an error of its account', async () => {
  const client = limited.ada;
  const created = (await client.post('/account/keys', { name: 'Second' })).body.data as unknown as { key: string };
  const statuses = [await info(client), await info(client)].map(({ status }) => status);
  expect(statuses).toEqual([200, 429]);
  expect((await rowsOf(client.with(created)))['user/info']?.errors).toEqual({ rate_limited: 1 });
});

test('GraphQL counts each call once, and a request that is refused as a whole under graphql', async () => {
  const { client, graphql } = await newCaller('0.01');
  await graphql.ask(`{ one: user(userName: "grace") { name } same: user(userName: "grace") { name }
    none: user(userName: "nobody_has_this_name") { name } wrong: user(userName: "not a name") { name } }`);
  await graphql.ask('mutation { likeTweet(input: { tweetId: "x" }) { __typename } }');
  await graphql.ask('{ nothing }');
  await graphql.ask(
    '{ user(userName: "grace") { followers(first: 20) { nodes { tweets(first: 10) { nodes { text } } } } } }',
  );
  const rows = await rowsOf(client);
  expect(rows['user/info']).toMatchObject({ calls: 1, errors: { bad_input: 1, not_found: 1 } });
  expect(rows['user/info']?.duration_ms?.p50).toBeGreaterThan(0);
  expect(rows['tweet/favorite']?.errors).toEqual({ bad_input: 1 });
  const refused = { bad_input: 1, insufficient_credits: 1 };
  expect(rows['graphql']).toMatchObject({ calls: 0, errors: refused, duration_ms: null });
  const { data } = await graphql.ask(
    '{ account { usage { endpoint errors { code calls } durationMs { p50 p95 p99 } } } }',
  );
  const { endpoint, errors: byCode, duration_ms: durationMs } = rows['user/info'] as Row;
  const errors = Object.entries(byCode).map(([code, calls]) => ({ code, calls }));
  expect(data.account.usage).toContainEqual({ endpoint, errors, durationMs });
});

test('counts what calls cost at the platform, by REST and GraphQL, which asks only for what it selects', async () => {
  const { client, graphql } = await newCaller();
  await info(client);
  await info(client, 'nobody_has_this_name');
  await client.get('/tweet/advanced_search', { q: 'from:grace', count: '10' });
  await graphql.ask('{ a: user(userName: "grace") { name } b: user(userName: "ada") { name } }');
  await graphql.ask('{ searchTweets(q: "from:grace", first: 10) { nodes { text } } }');
  // A user costs 0.01 dollars, a post 0.005. The profile comes with a pinned post.
  const rows = await rowsOf(client);
  expect(rows).toMatchObject({ 'user/info': { calls: 3, platform_cost: '0.035' } });
  const searched = Number(rows['tweet/advanced_search']?.platform_cost);
  expect(searched).toBeGreaterThanOrEqual(0.05 + 0.01 + 0.05);
  const { total } = (await client.get('/account/usage')).body.data as { total: Row };
  expect(Number(total.platform_cost)).toBeCloseTo(0.035 + searched);
  const { data } = await graphql.ask('{ account { usage { endpoint platformCost } } }');
  expect(data.account.usage).toContainEqual({ endpoint: 'user/info', platformCost: '0.035' });
  const line = (found: RegExp) => JSON.parse(service.log.findLast((each) => found.test(each)) ?? '{}');
  expect(line(/"action":"graphql".*"quotedMicros":1000/)).toMatchObject({ platformMicros: 10 * 5_000 });
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  expect(metrics).toMatch(/^postern_platform_cost_dollars_total\{class="user"\} [\d.]+$/m);
});

test('statistics survive a restart', async () => {
  const env = { DATA_DIR: temporaryFolder(onTestFinished) };
  const first = await startService(env);
  const { key } = await first.makeAccount('1');
  const clientOf = ({ demo }: TestService) =>
    new Client({ baseUrl: demo.baseUrl, key, authToken: demo.accounts[0].authToken });
  await info(clientOf(first));
  await info(clientOf(first), 'nobody_has_this_name');
  await first.stop();
  const second = await startService(env);
  onTestFinished(() => second.stop());
  const row = (await rowsOf(clientOf(second)))['user/info'];
  expect(row).toMatchObject({ calls: 1, errors: { not_found: 1 }, duration_ms: { p50: expect.any(Number) } });
});
