import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/api/demo/demo.ts';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { Client } from '../support/client.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';

const price = 1_000;
const dataDir = mkdtempSync(join(tmpdir(), 'postern-workers-'));
let service: PosternProcess;
let demo: Demo;
let store: Store;
let admin: AccountAdmin;
let sandbox: SandboxControl;
/** The number of successful calls in the first test. The second test compares this number with the metrics. */
let served: number;

beforeAll(async () => {
  service = startPostern(['serve'], {
    WORKERS: '2',
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_PORT: '0',
    LOG_LEVEL: 'info',
    PLATFORM_TIMEOUT_MS: '600000',
    MAX_STREAMS_PER_KEY: '5',
    UNAUTHENTICATED_RATE_LIMIT: '300',
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
  await service.printed(/listening on/);
  demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  sandbox = new SandboxControl(demo.sandboxUrl);
  store = await openStore(readConfig({ DATA_DIR: dataDir }), systemRuntime);
  admin = new AccountAdmin(store, systemRuntime);
});
afterAll(async () => {
  await store?.close();
  await service?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

/** Returns the log lines with a message as objects. */
function lines(msg: string, of = service) {
  const whole = of.log().split('\n').slice(0, -1);
  const parsed = whole
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return parsed.filter((line) => line['msg'] === msg);
}

/** Returns the ids of the current worker processes. */
function pidsOf(of: PosternProcess): number[] {
  return [...new Map(lines('a worker is listening', of).map(({ worker, pid }) => [worker, Number(pid)])).values()];
}

async function makeKey(calls: number, rateLimit: number | null = null) {
  const account = await admin.createAccount('Test', calls * price);
  if (rateLimit !== null) await store.accounts.setRateLimit(account, rateLimit);
  return { account, key: (await admin.createKey(account, 'Key')).key.expose() };
}

const tokenOf = () => demo.accounts[0]?.authToken ?? '';

/** Calls the service over a new connection, so that the workers are used in turn, or over the connections of an agent. */
async function call(key: string, path = '/user/info?userName=grace', dispatcher?: Agent) {
  const { statusCode, headers, body } = await request(demo.baseUrl + path, {
    ...(dispatcher ? { dispatcher } : { reset: true }),
    headers: { authorization: `Bearer ${key}`, 'x-auth-token': tokenOf() },
  });
  return { status: statusCode, headers, text: await body.text() };
}

const count = (statuses: readonly { status: number }[], wanted: number) =>
  statuses.filter(({ status }) => status === wanted).length;

async function metric(name: string): Promise<number> {
  const { body } = await request(new URL('/metrics', demo.baseUrl), { reset: true });
  const line = (await body.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

describe('two workers', () => {
  test('spend exactly the credit of an account', async () => {
    const { account, key } = await makeKey(150);
    const answers: Awaited<ReturnType<typeof call>>[] = [];
    let unavailable = 0;
    for (let rounds = 0; answers.length < 250; rounds++) {
      expect(rounds).toBeLessThan(20);
      const latest = await Promise.all(Array.from({ length: 250 - answers.length }, () => call(key)));
      const busy = latest.filter(({ status }) => status === 503);
      answers.push(...latest.filter(({ status }) => status !== 503));
      unavailable += busy.length;
      // On a slow machine, the store may exceed its time limits. The service then returns 503, and the call is sent again.
      for (const { headers } of busy) expect(headers['x-error-code']).toBe('unavailable');
      if (busy.length > 0) await expect.poll(async () => (await store.ledger.balance(account))?.held).toBe(0);
    }
    const succeeded = answers.filter(({ status }) => status === 200);
    served = succeeded.length;
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
    expect(served).toBeLessThanOrEqual(150);
    expect(served).toBeGreaterThanOrEqual(150 - unavailable);
    expect(new Set(succeeded.map(({ headers }) => headers['x-credits-remaining'])).size).toBe(served);
    await expect
      .poll(() => store.ledger.balance(account))
      .toEqual({ paid: 150 * price, charged: 150 * price, avail: 0, held: 0 });
    await expect.poll(() => new Set(lines('request').map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  });

  test('add up their metrics, and each returns the sum', async () => {
    const name = 'postern_http_requests_total{action="user/info",outcome="2xx"}';
    expect(await metric('postern_workers')).toBe(2);
    await expect.poll(() => metric(name)).toBe(served);
    for (let i = 0; i < 3; i++) expect(await metric(name)).toBe(served);
    expect(await metric('postern_calls_charged_total')).toBe(150);
  });

  test('share the rate limit of a key, also of one that uses one connection', async () => {
    const limit = 30;
    for (const agent of [new Agent({ connections: 1 }), new Agent({ connections: 20 })]) {
      const { key } = await makeKey(0, limit);
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 60 }, () => call(key, '/account', agent)));
      await agent.close();
      const refilled = Math.ceil((((performance.now() - startedAt) / 60_000) * limit) as number);
      const allowed = answers.filter(({ status }) => status === 200);
      expect(allowed.length).toBeGreaterThanOrEqual(limit);
      expect(allowed.length).toBeLessThanOrEqual(limit + refilled);
      expect(count(answers, 429)).toBe(60 - allowed.length);
      // Without a refill, each response has a different number of remaining calls.
      const remaining = allowed.map(({ headers }) => headers['ratelimit-remaining']);
      expect(new Set(remaining).size).toBeGreaterThanOrEqual(limit - refilled);
      if (allowed.length < 60) expect(remaining).toContain('0');
    }
  });

  test('share the limit of an address without a key', async () => {
    const startedAt = performance.now();
    const ask = async () => {
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const { statusCode, body } = await request(`${demo.baseUrl}/account`, { reset: true, headers });
      await body.dump();
      return { status: statusCode };
    };
    const answers = await Promise.all(Array.from({ length: 400 }, ask));
    const refilled = Math.ceil(((performance.now() - startedAt) / 60_000) * 300);
    expect(count(answers, 401)).toBeGreaterThanOrEqual(300);
    expect(count(answers, 401)).toBeLessThanOrEqual(300 + refilled);
    expect(count(answers, 429)).toBe(400 - count(answers, 401));
  });

  test('share the limit of open streams of a key', async () => {
    const { key } = await makeKey(20);
    const open = async () => {
      const hangUp = new AbortController();
      const { status } = await fetch(`${demo.baseUrl}/events`, {
        signal: hangUp.signal,
        headers: { authorization: `Bearer ${key}`, 'x-auth-token': tokenOf(), connection: 'close' },
      });
      return { status, close: () => hangUp.abort() };
    };
    const streams = await Promise.all(Array.from({ length: 8 }, open));
    expect(count(streams, 200)).toBe(5);
    expect(count(streams, 429)).toBe(3);
    for (const { close } of streams) close();
    await until(async () => {
      const again = await open();
      again.close();
      expect(again.status).toBe(200);
    });
  });

  test('allow no more wrong codes than one process', async () => {
    const { key } = await makeKey(20);
    const { authToken } = await sandbox.mint();
    const guess = async (code: number): Promise<{ status: number; text: string }> => {
      const { statusCode, body } = await request(`${demo.baseUrl}/dm/list?count=1`, {
        reset: true,
        headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken, 'x-encryption-code': String(code) },
      });
      const text = await body.text();
      // On a busy machine the key realms may respond too late. The gateway then returns 503 and does not count the guess as wrong.
      return statusCode === 503 ? guess(code) : { status: statusCode, text };
    };
    const answers = await Promise.all([170391, 270391, 370391, 470391, 570391, 670391].map(guess));
    expect(count(answers, 403)).toBe(3);
    expect(count(answers, 429)).toBe(3);
  });

  test('deliver each event once', async () => {
    const { key } = await makeKey(100);
    const actor = await sandbox.mint();
    const receiver = await startReceiver();
    const client = new Client({ baseUrl: demo.baseUrl, key, authToken: actor.authToken });
    expect((await client.post('/webhooks', { url: receiver.url, secret: receiver.secret })).status).toBe(200);
    const ids = () => receiver.deliveries.map(({ headers }) => String(headers['x-platform-webhooks-event-id']));
    for (let i = 0; i < 4; i++) await sandbox.makeEvents({ type: 'mention', userName: actor.userName, count: 5 });
    await until(() => expect(new Set(ids()).size).toBe(20));
    // The next event of a webhook comes after two deliveries of the previous ones.
    await sandbox.makeEvents({ type: 'follow', userName: actor.userName });
    await until(() => expect(new Set(ids()).size).toBe(21));
    expect(ids()).toHaveLength(21);
    await receiver.stop();
  });

  test('are replaced on SIGHUP without a lost request', async () => {
    const { account, key } = await makeKey(100_000);
    const agent = new Agent({ connections: 8 });
    const statuses: number[] = [];
    let replaced = false;
    const caller = async () => {
      while (!replaced) statuses.push((await call(key, undefined, agent)).status);
    };
    const callers = Promise.all(Array.from({ length: 8 }, caller));
    const before = await metric('postern_http_requests_total{action="user/info",outcome="2xx"}');
    service.child.kill('SIGHUP');
    await until(() => expect(lines('all workers are replaced')).toHaveLength(1));
    replaced = true;
    await callers;
    await agent.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await store.ledger.balance(account))?.charged).toBe(statuses.length * price);
    expect(await metric('postern_workers')).toBe(2);
    // The counters of ended workers are still included.
    expect(await metric('postern_http_requests_total{action="user/info",outcome="2xx"}')).toBeGreaterThan(before);
  });

  test('restart a worker that is killed during calls, and the credit stays correct', async () => {
    const { account, key } = await makeKey(2_000);
    let restarted = false;
    let succeeded = 0;
    let sent = 0;
    const caller = async () => {
      while (!restarted && sent < 1_000) {
        sent++;
        // A connection that the killed worker never accepted is not closed.
        const timeout = AbortSignal.timeout(5_000);
        const headers = { authorization: `Bearer ${key}`, 'x-auth-token': tokenOf(), connection: 'close' };
        const response = await fetch(`${demo.baseUrl}/user/info?userName=grace`, { headers, signal: timeout }).catch(
          () => null,
        );
        if (response?.status === 200) succeeded++;
        await response?.text().catch(() => {});
      }
    };
    const callers = Promise.all(Array.from({ length: 8 }, caller));
    const listening = lines('a worker is listening');
    process.kill(Number(listening.at(-1)?.['pid']), 'SIGKILL');
    await until(() => expect(lines('a worker is listening').length).toBe(listening.length + 1));
    restarted = true;
    await callers;
    expect(await metric('postern_worker_restarts_total')).toBe(1);
    expect(await metric('postern_workers')).toBe(2);
    expect((await call(key)).status).toBe(200);
    await until(async () => expect((await store.ledger.balance(account))?.held).toBe(0));
    const { paid, charged, avail } = (await store.ledger.balance(account)) ?? { paid: 0, charged: 0, avail: 0 };
    expect(avail + charged).toBe(paid);
    expect(charged).toBeGreaterThanOrEqual((succeeded + 1) * price);
    expect(charged).toBeLessThanOrEqual((sent + 1) * price);
  });

  test('report a port in use once, and do not start', async () => {
    const { port } = new URL(demo.baseUrl);
    const env = { WORKERS: '2', DATA_DIR: join(dataDir, 'other'), PORT: port };
    const other = startPostern(['serve'], { ...env, PLATFORM_URL: demo.sandboxUrl, PLATFORM_KIND: 'sandbox' });
    await other.printed(/listening on/).catch(() => {});
    expect(other.child.exitCode).toBe(1);
    expect(other.log().match(/is taken/g)).toHaveLength(1);
    expect(other.log()).toContain('worker 1 did not start');
  });

  test('end the service with a message if none of them can be started', async () => {
    const other = startPostern(['serve'], {
      WORKERS: '2',
      DATA_DIR: join(dataDir, 'other'),
      PORT: '0',
      LOG_LEVEL: 'info',
      PLATFORM_URL: demo.sandboxUrl,
      PLATFORM_KIND: 'sandbox',
    });
    await other.printed(/listening on/);
    writeFileSync(join(dataDir, 'other', 'secret.key'), 'RAiFXBm2xV1IRQbZRjZkNDTqHkbl9+LuuZ3DjBFbqpg=\n');
    const exited = new Promise((resolve) => other.child.once('exit', resolve));
    await expect.poll(() => pidsOf(other)).toHaveLength(2);
    for (const pid of pidsOf(other)) process.kill(pid, 'SIGKILL');
    expect(await exited).toBe(1);
    expect(other.log()).toContain('secret.key in DATA_DIR cannot decrypt');
    expect(other.log()).toMatch(/worker \d did not start .* 4 times in a row/);
  });

  test('finish their calls on SIGTERM', async () => {
    const { key } = await makeKey(10);
    await sandbox.setFault({ fault: { kind: 'latency', ms: 1_000 }, operation: 'userByScreenName' });
    const asked = await sandbox.requests('userByScreenName');
    const calls = Promise.all(Array.from({ length: 4 }, () => call(key)));
    await expect.poll(() => sandbox.requests('userByScreenName')).toBe(asked + 4);
    const pids = pidsOf(service);
    expect(await service.end('SIGTERM')).toBe(0);
    expect((await calls).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
