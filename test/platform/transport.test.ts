import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';
import { guardedAgent } from '../../src/outbound/connector.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { Transport } from '../../src/platform/http/transport.ts';
import type { PlatformCall } from '../../src/platform/port.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';

const callOf = (account: string): PlatformCall => ({
  account,
  authToken: new Secret('token'),
  proxy: null,
  signal: null,
  tokenFor: () => '',
});

test('a server is not paused because calls waited too long for a connection of this process', async () => {
  const server = createServer(({ url }, response) => {
    if (url !== '/slow') response.end('fast');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const runtime = systemRuntime;
  const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime });
  const proxies = new ProxyPool({ guard, runtime, timeoutMs: 1_000, maxResponseBytes: 1_024 });
  const limiter = new ConnectionLimiter({ perHost: 2, total: 100 });
  const transport = new Transport({
    runtime,
    proxies,
    timeoutMs: 100,
    guarded: guardedAgent({ guard, limiter, keepAlive: false, timeoutMs: 1_000 }),
  });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  const target = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, chosenBy: 'caller' as const };
  const send = (path: string, account: string, waitMs?: number) => {
    const request = { operation: 'read', target, method: 'GET' as const, path, headers: {}, waitMs };
    return transport.send(request, callOf(account), ({ body }) => body.toString());
  };
  // An account may use half of the connections to one host.
  const slow = send('/slow', 'ann', 600_000);
  slow.catch(() => {});
  for (let times = 0; times < 2; times += 1) {
    const waiting = await Promise.allSettled(Array.from({ length: 20 }, () => send('/', 'ann')));
    const reasons = waiting.map((one) => one.status === 'rejected' && one.reason.reason);
    expect(reasons).toEqual(Array(20).fill('platform_timeout'));
  }
  await expect.poll(() => send('/', 'bob').catch(({ reason }) => reason)).toBe('fast');
});

test('an account receives two large answers at a time, and other answers are not delayed', async () => {
  const server = createServer(({ url }, response) => response.end('x'.repeat(url === '/large' ? 2_000_000 : 1_000)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const runtime = systemRuntime;
  const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime });
  const transport = new Transport({
    runtime,
    proxies: new ProxyPool({ guard, runtime, timeoutMs: 60_000, maxResponseBytes: 1_024 }),
    timeoutMs: 60_000,
    guarded: guardedAgent({
      ...{ guard, keepAlive: false, timeoutMs: 60_000 },
      limiter: new ConnectionLimiter({ perHost: 100, total: 300 }),
    }),
  });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  const target = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, chosenBy: 'caller' as const };
  const reading: (() => void)[] = [];
  const send = (path: string, account = 'ann', signal: AbortSignal | null = null) =>
    transport.send(
      { operation: 'read', target, method: 'GET', path, headers: {} },
      { ...callOf(account), signal },
      async ({ body }) => {
        if (path === '/large') await new Promise<void>((resolve) => reading.push(resolve));
        return body.length;
      },
    );
  const first = [send('/large'), send('/large')];
  await expect.poll(() => reading.length).toBe(2);
  const gone = new AbortController();
  const abandoned = send('/large', 'ann', gone.signal).catch(({ reason }) => reason);
  const third = send('/large');
  expect(await send('/small')).toBe(1_000);
  const other = send('/large', 'bob');
  await expect.poll(() => reading.length).toBe(3);
  gone.abort();
  expect(await abandoned).toBe('caller_hung_up');
  reading[0]?.();
  await expect.poll(() => reading.length).toBe(4);
  for (const read of reading) read();
  expect(await Promise.all([...first, third, other])).toEqual(Array(4).fill(2_000_000));
});
