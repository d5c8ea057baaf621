import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Overrides } from '../../../src/main/app.ts';
import { openStore } from '../../../src/main/open-store.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Client } from '../../support/client.ts';
import { GraphqlClient } from '../../support/graphql.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let caller: Client;
afterEach(() => service.stop());

async function start(env: Record<string, string>, overrides?: Overrides) {
  service = await startService(env, overrides);
  const authToken = service.demo.accounts[0]?.authToken ?? '';
  caller = new Client({ baseUrl: service.demo.baseUrl, key: (await service.makeAccount('1')).key, authToken });
}

const shed = async (reason: string) => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return Number(
    new RegExp(`^postern_refusals_total\\{code="unavailable",reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  );
};

describe('overload', () => {
  test('new requests are refused with 503 while the event loop is late, and accepted afterwards', async () => {
    // `patientRuntime` counts turns of the event loop, and `block` makes each turn 120 ms long. The service would detect the delay after 100 s.
    await start({ MAX_EVENT_LOOP_DELAY_MS: '50' }, { runtime: systemRuntime });
    await expect.poll(async () => (await caller.get('/account')).status, { interval: 100 }).toBe(200);
    let busy = true;
    const block = () => {
      const until = performance.now() + 120;
      while (performance.now() < until);
      if (busy) setTimeout(block, 1);
    };
    block();
    try {
      await expect.poll(async () => (await caller.get('/account')).status, { interval: 100 }).toBe(503);
      const refused = await caller.get('/account');
      expectRefusal(refused, 503, /^The service is overloaded \(its event loop is delayed\)/);
      expect(refused.headers.get('retry-after')).toBe('2');
      const graphql = new GraphqlClient({ url: `${service.origin}/graphql` });
      const answer = await graphql.ask('{ __typename }');
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(answer.errors[0]?.extensions).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 2 });
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
      expect(await shed('event_loop_overload')).toBeGreaterThanOrEqual(3);
    } finally {
      busy = false;
    }
    await expect.poll(async () => (await caller.get('/account')).status, { interval: 100 }).toBe(200);
  });

  test('a key with many requests in flight is refused first while the event loop is saturated', async () => {
    await start({ MAX_EVENT_LOOP_TURN_MS: '5', PLATFORM_TIMEOUT_MS: '60000' });
    const { key } = await service.makeAccount('1');
    const other = caller.with({ key });
    expect((await other.get('/account')).status).toBe(200);
    let busy = true;
    const block = () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      if (busy) setTimeout(block, 1);
    };
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => caller.get('/account')));
      return answers.filter(({ status }) => status === 503).length;
    };
    block();
    await expect.poll(burst, { interval: 100 }).toBeGreaterThan(0);
    await service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'userByScreenName', times: 1_000 });
    let ended = 0;
    const get = () => caller.get('/user/info', { userName: 'grace' }).finally(() => ended++);
    const asked = Array.from({ length: 60 }, get);
    try {
      await expect.poll(() => ended, { interval: 10 }).toBeGreaterThanOrEqual(40);
      for (let i = 0; i < 5; i++) expect((await other.get('/account')).status).toBe(200);
      // A browser loads the files of a page at the same time.
      const files = await Promise.all(Array.from({ length: 6 }, () => fetch(`${service.origin}/openapi.json`)));
      expect(files.map(({ status }) => status)).toEqual(files.map(() => 200));
    } finally {
      busy = false;
    }
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(40);
    for (const answer of refused) expectRefusal(answer, 503, /^The service is overloaded \(it is busy with/);
    expect(refused[0]?.headers.get('retry-after')).toBe('2');
    expect(await shed('busy_overload')).toBeGreaterThan(refused.length);
    await expect.poll(burst, { interval: 100 }).toBe(0);
  });

  test('concurrent requests are limited while every commit is slow, and accepted afterwards', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const config = readConfig({ DATA_DIR: dataDir });
    let isSlow = true;
    const openSlowStore = async () => {
      const store = await openStore(config, systemRuntime);
      const { commit } = store.ledger;
      store.ledger.commit = async (change) => {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 300));
        return commit.call(store.ledger, change);
      };
      return store;
    };
    await start({ DATA_DIR: dataDir, MAX_COMMIT_MS: '100' }, { openStore: openSlowStore });
    const callers = [caller, caller.with({ key: (await service.makeAccount('1')).key })];
    // With more than 5 of its own in flight, a caller is refused under the lowest limit.
    const burst = async () => {
      const calls = callers.flatMap((each) =>
        Array.from({ length: 12 }, () => each.get('/user/info', { userName: 'grace' })),
      );
      return (await Promise.all(calls)).filter(({ status }) => status !== 200);
    };
    await expect.poll(burst, { interval: 1 }).not.toEqual([]);
    const refused = await burst();
    for (const answer of refused) expectRefusal(answer, 503, /^The service is overloaded \(its store is slow\)/);
    expect(refused[0]?.headers.get('retry-after')).toBe('2');
    expect(await shed('store_overload')).toBeGreaterThanOrEqual(refused.length);
    expect((await caller.get('/user/info', { userName: 'grace' })).status).toBe(200);
    isSlow = false;
    // The limit ends when it has refused nothing for five seconds.
    await expect.poll(burst, { interval: 6_000 }).toEqual([]);
  });

  test('one long pause refuses nothing', async () => {
    await start({ MAX_EVENT_LOOP_DELAY_MS: '200' });
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    for (let i = 0; i < 20; i++) {
      expect((await caller.get('/account')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  test('too many requests in flight refuse new ones with 503; streams do not count', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '2' });
    const { key = '', authToken = '' } = caller.options;
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${key}`, 'x-auth-token': authToken };
    for (let i = 0; i < 4; i++) {
      const stream = await fetch(`${service.demo.baseUrl}/events`, { headers, signal: abort.signal });
      expect(stream.status).toBe(200);
    }
    await service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'userByScreenName', times: 2 });
    const running = [caller.get('/user/info', { userName: 'grace' }), caller.get('/user/info', { userName: 'ada' })];
    const control = new SandboxControl(service.demo.sandboxUrl);
    await expect.poll(() => control.requests('userByScreenName')).toBe(2);
    expectRefusal(await caller.get('/account'), 503, /^The service is overloaded \(2 requests are running\)/);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    expect(await shed('request_overload')).toBe(1);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await caller.get('/account')).status).toBe(200);
    abort.abort();
  });
});
