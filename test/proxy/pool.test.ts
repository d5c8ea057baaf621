import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { AddressRefusedError } from '../../src/outbound/errors.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { readProxy } from '../../src/outbound/proxy.ts';
import { ProxyPool, type ProxyPoolOptions, type ProxyTarget } from '../../src/outbound/proxy-pool.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { manualRuntime } from '../store/manual-runtime.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';
import { startFakeProxy, startForwardProxy } from './forward-proxy.ts';
import { selfSigned } from './self-signed.ts';

let names: Record<string, string[]> = {};
/** Each answers one request for /slow. */
const slowRequests: (() => void)[] = [];
const guardOf = (allow: string) =>
  new OutboundGuard({
    allow: [allow],
    runtime: systemRuntime,
    resolve: async (name) => (names[name] ?? []).map((address) => ({ address })),
  });
const guard = guardOf('127.0.0.1/32');

const port = await listen(
  createServer((request, response) => {
    const answer = () => response.end(`${request.headers.host} ${request.socket.remotePort}`);
    if (request.url === '/slow') slowRequests.push(answer);
    else answer();
  }),
);
const proxy = await startForwardProxy();
afterEach(() => {
  names = {};
});

function poolWith(options: Partial<ProxyPoolOptions> = {}): ProxyPool {
  const pool = new ProxyPool({ guard, runtime: systemRuntime, timeoutMs: 60_000, maxResponseBytes: 1_024, ...options });
  atEnd(() => pool.close());
  return pool;
}

const proxyAt = (url: string) => readProxy(new Secret(url), guard);
const operators = (): ProxyTarget => ({ origin: `http://127.0.0.1:${port}`, chosenBy: 'operator' });
const callers = (host = `127.0.0.1:${port}`): ProxyTarget => ({ origin: `http://${host}`, chosenBy: 'caller' });

/** Starts a call that ends when `end` is called. */
async function startSlow(pool: ProxyPool) {
  const answer = get(pool, proxy.url, operators(), '/slow');
  await expect.poll(() => slowRequests.length).toBe(1);
  return { answer, end: slowRequests.pop() ?? (() => {}) };
}

async function get(pool: ProxyPool, url = proxy.url, target = operators(), path = '/'): Promise<string> {
  const lease = pool.lease(proxyAt(url), target);
  try {
    const { body } = await lease.dispatcher.request({ method: 'GET', path });
    const text = await body.text();
    // undici frees a connection one turn after the last byte.
    await sleep(1);
    return text;
  } finally {
    lease.release();
  }
}

describe('the pool of proxies', () => {
  test('keeps a tunnel for the next call through the same proxy', async () => {
    const pool = poolWith();
    expect(await get(pool)).toBe(await get(pool));
    expect(pool.size).toBe(1);
  });

  test('gives another password, user, spelling of the host or lane a tunnel of its own', async () => {
    names = { 'proxy.example': ['127.0.0.1'] };
    const pool = poolWith();
    const first = await get(pool);
    const before = proxy.tunnels.length;
    await expect(get(pool, proxy.url.replace('hunter2', 'hunter3'))).rejects.toThrow(/407/);
    await expect(get(pool, proxy.url.replace('user', 'usher'))).rejects.toThrow(/407/);
    expect(proxy.tunnels).toHaveLength(before);
    expect(await get(pool, proxy.url.replace('127.0.0.1', 'proxy.example'))).not.toBe(first);
    expect(await get(pool, proxy.url, callers())).not.toBe(first);
    expect(proxy.tunnels).toHaveLength(before + 2);
    expect(pool.size).toBe(5);
  });

  test('is bounded: the longest unused one goes', async () => {
    const pool = poolWith({ maxPools: 3 });
    for (let i = 0; i < 8; i++) {
      await expect(get(pool, proxy.url.replace('hunter2', `wrong${i}`))).rejects.toThrow(/407/);
      expect(pool.size).toBeLessThanOrEqual(3);
    }
    const kept = await get(pool);
    for (let i = 0; i < 2; i++) await get(pool, proxy.url.replace('hunter2', `wrong${i}`)).catch(() => {});
    expect(await get(pool)).toBe(kept);
    for (let i = 0; i < 3; i++) await get(pool, proxy.url.replace('hunter2', `wrong${i}`)).catch(() => {});
    expect(await get(pool)).not.toBe(kept);
    expect(pool.size).toBe(3);
  });

  test('closes one that is in use only after its last call', async () => {
    const pool = poolWith({ maxPools: 1 });
    const slow = await startSlow(pool);
    await get(pool, proxy.url, callers());
    expect(pool.size).toBe(2);
    slow.end();
    expect(await slow.answer).toMatch(/^127\.0\.0\.1:\d+ \d+$/);
    expect(pool.size).toBe(1);
  });

  test('closes pools that were idle for a minute, with their connections', async () => {
    const runtime = manualRuntime();
    const pool = poolWith({ runtime });
    await get(pool);
    await runtime.advance(59_000);
    await get(pool);
    await runtime.advance(59_000);
    expect(pool.size).toBe(1);
    await runtime.advance(1_000);
    expect(pool.size).toBe(0);
    expect(runtime.pending).toBe(0);
    await expect.poll(() => proxy.open()).toBe(0);
  });

  test('does not count a long call as idle', async () => {
    const runtime = manualRuntime();
    const pool = poolWith({ runtime, idleMs: 10 });
    const slow = await startSlow(pool);
    await runtime.advance(60_000);
    expect(pool.size).toBe(1);
    slow.end();
    expect(await slow.answer).toMatch(/^127/);
  });

  test('ends everything at once when it is closed', async () => {
    const pool = poolWith();
    const slow = await startSlow(pool);
    const [ended] = await Promise.all([slow.answer.catch((error: Error) => error), pool.close()]);
    expect(ended).toBeInstanceOf(Error);
    expect(pool.size).toBe(0);
    await expect.poll(() => proxy.open()).toBe(0);
  });

  test('speaks TLS to an https:// proxy whose certificate is trusted, by name and by address', async () => {
    names = { localhost: ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
    const tls = selfSigned();
    const secure = await startForwardProxy({ tls });
    const pool = poolWith({ ca: tls.cert });
    expect(await get(pool, secure.url)).toMatch(/^127/);
    expect(await get(pool, secure.url.replace('127.0.0.1', 'localhost'))).toMatch(/^127/);
    // The certificate is not valid for this name.
    const error = get(pool, secure.url.replace('127.0.0.1', 'other.example'));
    await expect(error).rejects.toThrow(
      /^The proxy other\.example:\d+ cannot be used: its certificate is not trusted$/,
    );
    expect(secure.tunnels).toHaveLength(2);
    expect(secure.heard()).not.toContain('CONNECT');
  });
});

describe('a target that a caller names, through a proxy', () => {
  test('is checked here, and handed over as the address that was checked', async () => {
    names = { 'shop.example': ['127.0.0.1'] };
    const before = proxy.tunnels.length;
    expect(await get(poolWith(), proxy.url, callers(`shop.example:${port}`))).toMatch(`shop.example:${port} `);
    expect(proxy.tunnels.slice(before)).toEqual([`127.0.0.1:${port}`]);
  });

  const addresses = ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4', '8.8.8.5'];
  const bad = 'HTTP/1.1 503 Service Unavailable\r\n\r\n';

  /** Starts a proxy that answers CONNECT to the addresses with these texts: `null` is silence, '' opens a tunnel. */
  async function answeringProxy(answers: readonly (string | null)[]) {
    names = { 'shop.example': addresses };
    const tried: string[] = [];
    const fake = await startFakeProxy((socket, request) => {
      const [, address = ''] = /^CONNECT ([\d.]+):80 /.exec(request) ?? [];
      tried.push(address);
      const answer = answers[addresses.indexOf(address)] ?? null;
      if (answer) return socket.end(answer);
      if (answer === null) return;
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${address}`));
    });
    return { ...fake, url: `http://${fake.name}`, tried };
  }

  test('is tried at its next address if a real proxy cannot reach it', async () => {
    names = { 'shop.example': ['127.0.0.9', '127.0.0.8', '127.0.0.1'] };
    const pool = poolWith({ guard: guardOf('127.0.0.0/8') });
    expect(await get(pool, proxy.url, callers(`shop.example:${port}`))).toMatch(`shop.example:${port} `);
  });

  test.each(['502 Bad Gateway', '503 Service Unavailable', '504 Gateway Timeout', 'a broken connection'])(
    'is tried at its next address after %s, and gets the request once',
    async (status) => {
      const answer = status === 'a broken connection' ? 'HTTP/1.1 ' : `HTTP/1.1 ${status}\r\n\r\n`;
      const refusing = await answeringProxy([answer, bad, '']);
      expect(await get(poolWith(), refusing.url, callers('shop.example'))).toBe('8.8.8.3');
      expect(refusing.tried).toEqual(addresses.slice(0, 3));
      expect(refusing.heard().match(/^GET /gm)).toHaveLength(1);
    },
  );

  test('is tried at its next address 250 ms after CONNECT, and the first tunnel is used', async () => {
    const runtime = manualRuntime();
    const silent = await answeringProxy([null, '']);
    const answer = get(poolWith({ runtime }), silent.url, callers('shop.example'));
    await expect.poll(() => silent.tried).toEqual(addresses.slice(0, 1));
    await runtime.advance(249);
    expect(silent.tried).toHaveLength(1);
    await runtime.advance(1);
    expect(await answer).toBe('8.8.8.2');
    await expect.poll(() => silent.open()).toBe(0);
  });

  test('is tried at four addresses, and fails with the last answer', async () => {
    const refusing = await answeringProxy([bad, bad, bad, bad.replace('503', '504'), '']);
    const answer = get(poolWith(), refusing.url, callers('shop.example'));
    await expect(answer).rejects.toThrow(/refused to open a tunnel to shop\.example \(status 504\)$/);
    expect(refusing.tried).toEqual(addresses.slice(0, 4));
  });

  test.each(['403 Forbidden', '407 Proxy Authentication Required', '429 Too Many Requests'])(
    'is not tried at another address after %s',
    async (status) => {
      const refusing = await answeringProxy([`HTTP/1.1 ${status}\r\n\r\n`, '']);
      await expect(get(poolWith(), refusing.url, callers('shop.example'))).rejects.toThrow(status.slice(0, 3));
      expect(refusing.tried).toEqual(addresses.slice(0, 1));
    },
  );

  test.each([
    '10.0.0.1',
    '127.0.0.2',
    '0x7f.2',
    '[::1]',
    '169.254.169.254',
    'localhost',
    'mixed.example',
    'inside.example',
  ])('is refused before the proxy hears of it: %s', async (host) => {
    names = { 'mixed.example': ['127.0.0.1', '10.0.0.1'], 'inside.example': ['192.168.0.1'], localhost: ['127.0.0.2'] };
    const before = proxy.heard().length;
    await expect(get(poolWith(), proxy.url, callers(`${host}:${port}`))).rejects.toThrow(AddressRefusedError);
    expect(proxy.heard()).toHaveLength(before);
  });

  test('never rides on a tunnel that was opened for the operator', async () => {
    names = { localhost: ['127.0.0.2'] };
    const pool = poolWith();
    const origin = `http://localhost:${port}`;
    expect(await get(pool, proxy.url, { origin, chosenBy: 'operator' })).toMatch(/^localhost/);
    await expect(get(pool, proxy.url, { origin, chosenBy: 'caller' })).rejects.toThrow(AddressRefusedError);
  });
});
