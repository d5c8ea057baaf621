import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';
import { guardedAgent } from '../../src/outbound/connector.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { Transport } from '../../src/platform/http/transport.ts';
import type { PlatformCall } from '../../src/platform/port.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';

const runtime = systemRuntime;

/** Starts a server and returns it as a target, with a transport to it that has `perHost` connections. */
async function start(listener: RequestListener, perHost: number, timeoutMs: number) {
  const target = { origin: `http://127.0.0.1:${await listen(createServer(listener))}`, chosenBy: 'caller' as const };
  const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime });
  const limiter = new ConnectionLimiter({ perHost, total: 100 });
  const transport = new Transport({
    runtime,
    proxies: new ProxyPool({ guard, runtime, timeoutMs: 1_000, maxResponseBytes: 1_024 }),
    timeoutMs,
    guarded: guardedAgent({ guard, limiter, keepAlive: false, timeoutMs: Math.max(timeoutMs, 1_000) }),
  });
  atEnd(() => transport.close());
  return { target, transport };
}

const callOf = (account: string): PlatformCall => ({
  account,
  authToken: new Secret('token'),
  proxy: null,
  signal: null,
  tokenFor: () => '',
});

test('a server is not paused because calls waited too long for a connection of this process', async () => {
  const { target, transport } = await start(
    ({ url }, response) => void (url !== '/slow' && response.end('fast')),
    2,
    100,
  );
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
  const answer: RequestListener = ({ url }, response) => {
    response.end('x'.repeat(url === '/large' ? 2_000_000 : 1_000));
  };
  const { target, transport } = await start(answer, 100, 60_000);
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
