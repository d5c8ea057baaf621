import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/api/demo/demo.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import { openSocket } from '../support/raw.ts';

let dataDir: string;
let running: PosternProcess[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  running = [];
});
afterEach(async () => {
  for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function start(command: string, folder: string, env: Record<string, string> = {}) {
  const started = startPostern([command], { DATA_DIR: join(dataDir, folder), PORT: '0', SANDBOX_PORT: '0', ...env });
  running.push(started);
  const [, origin = ''] = await started.printed(/listening on (http:\/\/\S+)\n/);
  return { ...started, origin };
}

const demoOf = (folder: string) => JSON.parse(readFileSync(join(dataDir, folder, 'demo.json'), 'utf8')) as Demo;
const clientOf = (demo: Demo) =>
  new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken: demo.accounts[0]?.authToken ?? '' });

async function addFault(demo: Demo, fault: Record<string, unknown>) {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ fault }) };
  expect((await fetch(`${demo.sandboxUrl}/control/faults`, init)).status).toBe(201);
}

describe('postern serve', () => {
  test('on any free port writes demo.json with the real one; two starts give the same key and the credit once', async () => {
    const first = await start('serve', 'a');
    const demo = demoOf('a');
    expect(demo.baseUrl).toBe(`${first.origin}/v1`);
    expect(statSync(join(dataDir, 'a', 'demo.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'a')).mode & 0o777).toBe(0o700);
    const answer = await clientOf(demo).get('/tweet/advanced_search', { q: 'from:ada', count: '1' });
    expect(answer.headers.get('x-credits-remaining')).toBe('9.999');
    expect(await first.end('SIGTERM')).toBe(0);

    await start('serve', 'a');
    const again = demoOf('a');
    expect(again.apiKey).toBe(demo.apiKey);
    expect(again.accounts).toEqual(demo.accounts);
    expect((await clientOf(again).get('/account/balance')).body.data).toMatchObject({ balance: '9.999', held: '0' });
    expect((await clientOf(again).get('/account/payments')).body.data['payments']).toHaveLength(1);
    expect(demoOf('a').apiKey).not.toBe('');
  });

  test('sees what the command line does while it runs', async () => {
    const service = await start('serve', 'a');
    const client = clientOf(demoOf('a'));
    const env = { DATA_DIR: join(dataDir, 'a') };
    for (const balance of ['11', '12', '13']) {
      expect((await postern(['account', 'credit', 'acc_demo', '1'], env)).code).toBe(0);
      expect((await client.get('/account/balance')).body.data).toMatchObject({ balance });
    }
    expect((await client.get('/user/info', { userName: 'ada' })).headers.get('x-credits-remaining')).toBe('12.999');
    expect(await service.end('SIGTERM')).toBe(0);
    const [account] = JSON.parse((await postern(['account', 'list', '--json'], env)).out) as Record<string, unknown>[];
    expect(account).toMatchObject({ balance: '12.999', held: '0', charged: '0.001' });
  });

  test('with LOG_FORMAT=pretty logs in columns', async () => {
    const service = await start('serve', 'a', { LOG_LEVEL: 'info', LOG_FORMAT: 'pretty' });
    await clientOf(demoOf('a')).get('/user/info', { userName: 'ada' });
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.log()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}GET {5}200 +\d+ ms user\/info +\$0\.001 +requestId=\S+ /m,
    );
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes what is in flight, takes nothing new, and exits with 0',
    async (signal) => {
      const service = await start('serve', 'a', { LOG_LEVEL: 'info' });
      const client = clientOf(demoOf('a'));
      await addFault(demoOf('a'), { kind: 'latency', ms: 700 });
      const idle = await openSocket(service.origin);
      const slow = client.post('/tweet/create', { text: `In flight at ${signal}` });
      await new Promise((resolve) => setTimeout(resolve, 200));
      const ended = service.end(signal);
      const toldAt = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await expect(openSocket(service.origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      const answer = await slow;
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-credits-remaining')).toBe('9.999');
      expect(answer.headers.get('connection')).toBe('close');
      expect(await ended).toBe(0);
      await expect.poll(() => service.log()).toContain('"msg":"stopped"');
      // A connection on which nothing was asked does not hold it up.
      expect(performance.now() - toldAt).toBeLessThan(4_000);
      idle.destroy();
      const { out } = await postern(['account', 'list', '--json'], { DATA_DIR: join(dataDir, 'a') });
      expect(JSON.parse(out)).toMatchObject([{ id: 'acc_demo', balance: '9.999', held: '0', charged: '0.001' }]);
    },
  );
});

describe('postern sandbox', () => {
  test('is shared by gateways, each with its own credit', async () => {
    const sandbox = await start('sandbox', 'platform');
    const env = { PLATFORM_URL: sandbox.origin, PLATFORM_KIND: 'sandbox' };
    await Promise.all([start('serve', 'a', env), start('serve', 'b', env)]);
    const [a, b] = [demoOf('a'), demoOf('b')];
    expect(a.sandboxUrl).toBe(sandbox.origin);
    expect([b.apiKey, b.accounts]).toEqual([a.apiKey, a.accounts]);
    expect((await clientOf(a).post('/tweet/create', { text: 'Said at one gateway' })).status).toBe(200);
    const heard = await clientOf(b).get('/tweet/advanced_search', { q: '"Said at one gateway"' });
    expect(heard.body.data['tweet_count']).toBe(1);
    expect(heard.headers.get('x-credits-remaining')).toBe('9.999');

    expect(await sandbox.end('SIGTERM')).toBe(0);
    expect((await clientOf(a).get('/user/info', { userName: 'ada' })).status).toBe(502);
    expect((await fetch(a.baseUrl.replace('/v1', '/readyz'))).status).toBe(503);
  });
});
