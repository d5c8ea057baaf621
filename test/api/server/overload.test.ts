import { afterEach, describe, expect, test } from 'vitest';
import type { Overrides } from '../../../src/main/app.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Client } from '../../support/client.ts';
import { GraphqlClient } from '../../support/graphql.ts';
import { openSocket } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let caller: Client;
let control: SandboxControl;
afterEach(() => service.stop());

async function start(env: Record<string, string>, overrides?: Overrides) {
  service = await startService(env, overrides);
  const { baseUrl, accounts, sandboxUrl } = service.demo;
  caller = new Client({ baseUrl, key: (await service.makeAccount('1')).key, authToken: accounts[0].authToken });
  control = new SandboxControl(sandboxUrl);
}

const shed = async (reason: string) => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  const line = new RegExp(`^postern_refusals_total\\{code="unavailable",reason="${reason}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
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

  test('limits each key with 429 while the event loop is saturated, and leaves slots to other keys', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '150', MAX_CONCURRENT_REQUESTS: '24' }, { runtime: systemRuntime });
    const others: Client[] = [];
    for (let i = 0; i < 4; i++) others.push(caller.with({ key: (await service.makeAccount('1')).key }));
    let busy = true;
    const block = () => {
      const until = performance.now() + 10;
      while (performance.now() < until);
      if (busy) setImmediate(block);
    };
    const burst = async () => {
      const search = () => caller.get('/tweet/advanced_search', { q: 'coffee' });
      const answers = await Promise.all(Array.from({ length: 6 }, search));
      return answers.filter(({ status }) => status !== 200).length;
    };
    await service.addFault({ kind: 'latency', ms: 500 }, { operation: 'searchPostsAll', times: 1_000 });
    block();
    try {
      await expect.poll(burst, { interval: 100 }).toBe(3);
      const unfinished = await Promise.all(Array.from({ length: 20 }, () => openSocket(service.origin)));
      const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9';
      for (const socket of unfinished) {
        socket.write(`${head}\r\nauthorization: ${caller.headers.authorization}\r\n\r\n{`);
      }
      expect((await (others[0] as Client).get('/account')).status).toBe(200);
      for (const socket of unfinished) socket.destroy();
      await service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'getUsersByUsername', times: 6 });
      const slow = (clients: Client[]) => clients.map((client) => client.get('/user/info', { userName: 'grace' }));
      const running = slow([caller, caller, caller]);
      await expect.poll(() => control.requests('getUsersByUsername')).toBe(3);
      const error = /^This API key has reached its limit of concurrent requests \(1 at/;
      expectRefusal(await caller.get('/account'), 429, error);
      // A key without running requests finds a slot.
      running.push(...slow(others.slice(0, 3)));
      await expect.poll(() => control.requests('getUsersByUsername')).toBe(6);
      const refused = await (others[3] as Client).get('/account');
      expectRefusal(refused, 503, /^The service is overloaded \(it is busy with/);
      expect(refused.headers.get('retry-after')).toBe('2');
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
      expect(await shed('busy_overload')).toBeGreaterThan(0);
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
    } finally {
      busy = false;
    }
    await expect.poll(burst, { interval: 100 }).toBe(0);
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
    const abort = new AbortController();
    for (let i = 0; i < 4; i++) {
      const stream = await fetch(`${service.demo.baseUrl}/events`, { headers: caller.headers, signal: abort.signal });
      expect(stream.status).toBe(200);
    }
    await service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'getUsersByUsername', times: 2 });
    const running = [caller.get('/user/info', { userName: 'grace' }), caller.get('/user/info', { userName: 'ada' })];
    await expect.poll(() => control.requests('getUsersByUsername')).toBe(2);
    expectRefusal(await caller.get('/account'), 503, /^The service is overloaded \(too many requests are running\)/);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    expect(await shed('request_overload')).toBe(1);
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await caller.get('/account')).status).toBe(200);
    abort.abort();
  });
});
