import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { handle, localsOf } from '../../../src/api/http/request-locals.ts';
import { observeRequest } from '../../../src/api/server/request-context.ts';
import { makeLogger } from '../../../src/shared/observability/logger.ts';
import { Metrics } from '../../../src/shared/observability/metrics.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { originOf } from '../../support/listen.ts';
import { openSocket } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, newCaller } = await useService({
  RATE_LIMIT: '60',
  MAX_CONCURRENT_REQUESTS: '2',
  MAX_STREAMS_PER_KEY: '1',
  UNAUTHENTICATED_RATE_LIMIT: '40',
  PLATFORM_TIMEOUT_MS: '4000',
  GRAPHQL_MAX_COST: '0.003',
});
afterEach(() => sandbox.clearFaults());

interface Line {
  requestId: string;
  [field: string]: unknown;
}

/** Creates a caller with its own key, and a function that returns the log lines of its requests. */
async function caller(dollars = '1') {
  const { id: account, keyId, client: rest, graphql } = await newCaller(dollars);
  return {
    account,
    keyId,
    rest,
    graphql,
    held: async () => (await rest.get('/account/balance')).body.data['held'],
    /** The log line of a request is written after its response was read. */
    lines: async (count: number) => {
      await expect.poll(() => requests().filter((line) => line['account'] === account).length).toBe(count);
      return requests().filter((line) => line['account'] === account);
    },
  };
}

const requests = () =>
  service.log.map((text) => JSON.parse(text) as Line & { msg: string }).filter(({ msg }) => msg === 'request');

async function lineOf(requestId: string): Promise<Line> {
  await expect.poll(() => requests().filter((line) => line.requestId === requestId).length).toBe(1);
  return requests().find((line) => line.requestId === requestId) as Line;
}

/** Checks the log line of a refused request, which costs nothing. */
async function expectLine(
  { headers }: { headers: Headers },
  line: Partial<Record<'code' | 'reason' | 'status', string>>,
) {
  expect(await lineOf(headers.get('x-request-id') ?? '')).toMatchObject({ ...line, chargedMicros: 0 });
}

describe('the log line of a REST request', () => {
  test('has action, account, key, status, time and charge', async () => {
    const { rest, account, keyId, lines } = await caller();
    await rest.get('/user/info', { userName: 'grace' }, { 'x-request-id': 'mine-1' });
    await rest.get('/account/balance');
    const [paid, free] = await lines(2);
    expect(paid).toEqual({
      level: 30,
      time: expect.any(String),
      msg: 'request',
      requestId: 'mine-1',
      method: 'GET',
      action: 'user/info',
      account,
      key: keyId,
      status: '200',
      ms: expect.any(Number),
      chargedMicros: 1_000,
      // A user, and the pinned post.
      platformMicros: 15_000,
    });
    expect(free).toMatchObject({ action: 'account/balance', status: '200', chargedMicros: 0 });
  });

  test('has the reason of a failed call, which costs nothing', async () => {
    const { rest } = await caller();
    const missing = await rest.get('/tweet/detail', { tweet_id: '1' });
    await expectLine(missing, { code: 'not_found', reason: 'resource_not_found', status: '404' });
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'getUsersMe' });
    await expectLine(await rest.get('/user/me'), { reason: 'platform_failed', status: '502' });
    await service.addFault({ kind: 'hang' }, { operation: 'getUsersMe' });
    await expectLine(await rest.get('/user/me'), { reason: 'platform_timeout', status: '504' });
    const token = await rest.with({ authToken: 'f'.repeat(40) }).get('/user/me');
    await expectLine(token, { code: 'forbidden', reason: 'auth_token_rejected', status: '403' });
    const proxy = await rest.get('/user/me', { proxy: 'http://127.0.0.1:1' });
    await expectLine(proxy, { code: 'bad_input', reason: 'address_refused', status: '400' });
  });

  test('shows whether credit is missing or reserved by running calls', async () => {
    const poor = await caller('0.0005');
    const short = await poor.rest.get('/user/me');
    await expectLine(short, { code: 'insufficient_credits', reason: 'credit_short', status: '402' });
    const once = await caller('0.001');
    await service.addFault({ kind: 'latency', ms: 3_500 });
    const first = once.rest.post('/user/follow', { username: 'grace' });
    await expect.poll(once.held, { interval: 20 }).toBe('0.001');
    const second = await once.rest.post('/user/follow', { username: 'grace' });
    await expectLine(second, { reason: 'credit_reserved', status: '402' });
    expect((await first).status).toBe(200);
  });

  test('has the charge of a write whose caller hung up', async () => {
    const { rest, account, held } = await caller();
    await service.addFault({ kind: 'latency', ms: 3_500 });
    const body = JSON.stringify({ auth_token: rest.options.authToken, text: `Hung up on at ${Date.now()}` });
    const socket = await openSocket(service.origin);
    socket.write(
      `POST /v1/tweet/create HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rest.options.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await expect.poll(held, { interval: 20 }).toBe('0.001');
    socket.destroy();
    const isWrite = (line: Line) => line['account'] === account && line['action'] === 'tweet/create';
    await expect.poll(() => requests().filter(isWrite).length).toBe(1);
    expect(requests().find(isWrite)).toMatchObject({ status: 'hung_up', chargedMicros: 1_000 });
  });

  test('shows that a response was kept, and the reason of the first refusal', async () => {
    const { rest } = await caller();
    const again = () => rest.post('/tweet/favorite', { tweet_id: '1' }, { 'idempotency-key': 'kept' });
    expect((await again()).status).toBe(404);
    const replayed = await again();
    const line = await lineOf(replayed.headers.get('x-request-id') ?? '');
    expect(line).toMatchObject({ status: '404', reason: 'resource_not_found', replayed: true, chargedMicros: 0 });
  });
});

describe('the log line of a request that a limit refused names the limit', () => {
  test('calls a minute of the key', async () => {
    const { rest } = await caller();
    // A slow machine takes so long for 60 calls that more of them are allowed.
    let last = await rest.get('/account');
    while (last.status === 200) last = await rest.get('/account');
    await expectLine(last, { code: 'rate_limited', reason: 'key_rate_limit', status: '429' });
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toMatch(/^postern_refusals_total\{code="rate_limited",reason="key_rate_limit"\} 1$/m);
  });

  test('concurrent requests and streams of the key', async () => {
    const { rest } = await caller();
    await service.addFault({ kind: 'latency', ms: 3_500 }, { operation: 'getUsersByUsername', times: 2 });
    const before = await sandbox.requests('getUsersByUsername');
    const running = [rest.get('/user/info', { userName: 'grace' }), rest.get('/user/info', { userName: 'ada' })];
    await expect.poll(() => sandbox.requests('getUsersByUsername')).toBe(before + 2);
    await expectLine(await rest.get('/account'), { reason: 'key_concurrency_limit', status: '429' });
    await Promise.all(running);
    const abort = new AbortController();
    const opened = await fetch(`${service.demo.baseUrl}/events`, { headers: rest.headers, signal: abort.signal });
    expect(opened.status).toBe(200);
    await expectLine(await rest.get('/events'), { reason: 'key_stream_limit', status: '429' });
    abort.abort();
    const line = await lineOf(opened.headers.get('x-request-id') ?? '');
    expect(line).toMatchObject({ action: 'events', status: 'hung_up', chargedMicros: 1_000 });
  });

  test("the platform's own, test events, and wrong codes", async () => {
    const { rest } = await caller();
    await service.addFault({ kind: 'rate_limit', retry_after: 0 }, { operation: 'getUsersByUsername' });
    const limited = await rest.get('/user/info', { userName: 'grace' });
    await expectLine(limited, { reason: 'platform_rate_limit', status: '429' });
    const made = await rest.post('/webhooks', { url: 'http://localhost:1/hook' });
    const path = `/webhooks/${made.body.data['id']}/test`;
    let last = await rest.post(path);
    for (let n = 0; n < 10; n++) last = await rest.post(path);
    await expectLine(last, { reason: 'webhook_test_limit', status: '429' });
    // The first pauses are so short that they may be over on a slow machine.
    const wrong = { 'x-encryption-code': '000111' };
    for (let n = 0; n < 10 && !(last.status === 429 && n > 0); n++) last = await rest.get('/dm/list', {}, wrong);
    await expectLine(last, { reason: 'wrong_code_limit', status: '429' });
  });

  test('requests of an address without a key', async () => {
    const ask = () => fetch(`${service.origin}/unknown?auth_token=secret-in-a-url`);
    let last = await ask();
    while (last.status !== 429) last = await ask();
    const line = await lineOf(last.headers.get('x-request-id') ?? '');
    const refused = { code: 'rate_limited', reason: 'address_rate_limit' };
    expect(line).toMatchObject({ ...refused, action: 'none', client: '127.0.0.1' });
    expect(line).not.toHaveProperty('chargedMicros');
    expect(service.log.join('')).not.toContain('secret-in-a-url');
  });
});

describe('the log line of a GraphQL request', () => {
  test('has the operation, the calls that ran, and the cost of each action', async () => {
    const { graphql, lines } = await caller();
    const page =
      'query Feed { user(userName: "grace") { name tweets(first: 2) { nodes { text } } } no: tweet(tweetId: "1") { text } }';
    await graphql.ask(page);
    await graphql.ask('{ users: nonsense }');
    const [ran, wrong] = await lines(2);
    expect(ran).toMatchObject({
      action: 'graphql',
      status: '200',
      operationType: 'query',
      operationName: 'Feed',
      calls: 3,
      chargedMicros: 2_000,
      charges: { 'user/info': 1_000, 'user/tweets_and_replies': 1_000 },
      quotedMicros: expect.any(Number),
      errors: 1,
      code: 'not_found',
      reason: 'resource_not_found',
    });
    expect(wrong).toMatchObject({ code: 'bad_input', reason: 'invalid_document', chargedMicros: 0 });
  });

  test('contains the reason for which the whole request was refused', async () => {
    const { graphql, lines } = await caller('0.001');
    const fields = ['a', 'b', 'c', 'd'].map((name) => `${name}: user(userName: "${name}") { name }`);
    await graphql.ask(`query Big { ${fields} }`);
    await graphql.ask('query Short { a: user(userName: "grace") { name } b: user(userName: "ada") { name } }');
    await graphql.ask(`{ ${'a '.repeat(20_000)} }`);
    const [big, short, long] = await lines(3);
    expect(big).toMatchObject({ reason: 'cost_limit', operationName: 'Big', status: '400', calls: 0 });
    const free = { calls: 0, chargedMicros: 0 };
    expect(short).toMatchObject({ reason: 'credit_short', quotedMicros: 2_000, status: '402', ...free });
    expect(long).toMatchObject({ code: 'too_costly', reason: 'document_limit' });
    expect(long).not.toHaveProperty('operationType');
  });

  test('bounds the name of an operation', async () => {
    const { graphql, lines } = await caller();
    await graphql.ask(`query ${'N'.repeat(5_000)} { account { name } }`);
    expect((await lines(1))[0]?.['operationName']).toBe('N'.repeat(64));
  });
});

test('the line of a request whose handler began after its caller had hung up waits for the handler', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = makeLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = createServer((request, response) => {
    observeRequest(request, response, { runtime: systemRuntime, logger, metrics: new Metrics() });
    const closed = once(response, 'close');
    localsOf(response).handled = closed.then(() => {
      void handle(response, async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        Object.assign(localsOf(response), { account: 'acc', charged: 1_000 });
      });
    });
  });
  const socket = await openSocket(await originOf(server));
  socket.write('DELETE / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(server, 'request');
  socket.destroy();
  await expect.poll(() => lines).toMatchObject([{ status: 'hung_up', account: 'acc', chargedMicros: 1_000 }]);
});

test('a request that is not HTTP has a line under the x-request-id of its response', async () => {
  const socket = await openSocket(service.origin);
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.write('NONSENSE\r\n\r\n');
  const requestId = /x-request-id: (\S+)/.exec(await answered)?.[1] ?? '';
  expect(await lineOf(requestId)).toMatchObject({ code: 'bad_input', reason: 'malformed_request', status: '400' });
});
