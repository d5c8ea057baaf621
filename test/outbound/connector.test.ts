import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';
import { guardedAgent } from '../../src/outbound/connector.ts';
import { AddressRefusedError, NameNotFoundError } from '../../src/outbound/errors.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { readProxy } from '../../src/outbound/proxy.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';

interface Target {
  server: Server;
  hosts: string[];
}

/** Two servers on the same port of two loopback addresses. The tests allow the "public" address and never the "private" one. */
const publicAddress = '127.0.0.1';
const privateAddress = '127.0.0.3';
let port = 0;
const targets: Target[] = [];
const [publicHosts, privateHosts] = [() => targets[0]?.hosts ?? [], () => targets[1]?.hosts ?? []];

for (const address of [publicAddress, privateAddress]) {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? '');
    if (request.url === '/redirect') response.writeHead(302, { location: `http://${privateAddress}:${port}/` });
    response.end('hello');
  });
  await new Promise<void>((resolve, reject) => {
    // A system without this address cannot reach it.
    server.once('error', (error) => (address === privateAddress ? resolve() : reject(error)));
    server.listen(port, address, resolve);
  });
  port ||= (server.address() as AddressInfo).port;
  targets.push({ server, hosts });
}
afterAll(() => {
  for (const { server } of targets) {
    server.closeAllConnections();
    server.close();
  }
});

function agentFor(answers: readonly string[][], allow = [`${publicAddress}/32`], keepAlive = true) {
  const lookups: string[] = [];
  const guard = new OutboundGuard({
    allow,
    runtime: systemRuntime,
    resolve: async (name) => {
      lookups.push(name);
      const now = answers[Math.min(lookups.length, answers.length) - 1] ?? [];
      return now.map((address) => ({ address }));
    },
  });
  const limiter = new ConnectionLimiter({ perHost: 10, total: 10 });
  const agent = guardedAgent({ guard, timeoutMs: 2_000, limiter, keepAlive });
  const get = async (host: string, path = '/') => {
    const { statusCode, body } = await agent.request({ origin: `http://${host}:${port}`, path, method: 'GET' });
    await body.dump();
    return statusCode;
  };
  const origins = () => Object.keys((agent as Agent).stats).length;
  return { get, lookups, origins, limiter, close: () => agent.destroy() };
}

describe('a guarded dispatcher', () => {
  test('resolves a name for the account of the request, with and without a proxy', async () => {
    const accounts: string[] = [];
    const guard = new OutboundGuard({
      allow: [`${publicAddress}/32`],
      runtime: systemRuntime,
      resolve: async (_name, { account }) => {
        accounts.push(account);
        return [{ address: publicAddress }];
      },
    });
    const limiter = new ConnectionLimiter({ perHost: 10, total: 10 });
    const agent = guardedAgent({ guard, timeoutMs: 2_000, limiter, keepAlive: false });
    const proxies = new ProxyPool({ guard, runtime: systemRuntime, timeoutMs: 2_000, maxResponseBytes: 1_000 });
    const target = `http://shop.example:${port}`;
    const proxy = readProxy(new Secret(`http://proxy.example:${port}`), guard);
    const { dispatcher, release } = proxies.lease(proxy, { origin: target, chosenBy: 'caller' });
    const request = (account: string) => ({ origin: target, path: '/', method: 'GET', account }) as const;
    for (const account of ['alice', 'bob']) await (await agent.request(request(account))).body.dump();
    // The server is no proxy, so it refuses the tunnel after both names are resolved.
    await expect(dispatcher.request(request('carol'))).rejects.toThrow('The proxy');
    expect(accounts).toEqual(['alice', 'bob', 'carol', 'carol']);
    release();
    await Promise.all([agent.destroy(), proxies.close()]);
  });

  test('connects to the address that was checked, and calls it by its name', async () => {
    const { get, lookups, close } = agentFor([[publicAddress]]);
    expect(await get('shop.example')).toBe(200);
    expect(publicHosts()).toContain(`shop.example:${port}`);
    expect(lookups).toEqual(['shop.example']);
    await close();
  });

  test('connects to another checked address if the first one refuses the connection', async () => {
    const { get, lookups, limiter, close } = agentFor(
      [['::1', '127.0.0.9', publicAddress]],
      ['::1/128', '127.0.0.0/8'],
    );
    expect(await get('shop.example')).toBe(200);
    expect(lookups).toEqual(['shop.example']);
    await expect.poll(() => limiter.open).toBe(1);
    await close();
    await expect.poll(() => limiter.open).toBe(0);
  });

  test('resolves a name once for each connection, and connects to the checked address', async () => {
    const { get, lookups, close } = agentFor([[publicAddress], [privateAddress]]);
    expect(await get('rebind.example')).toBe(200);
    expect(lookups).toHaveLength(1);
    await close();
    expect(publicHosts()).toContain(`rebind.example:${port}`);
    expect(privateHosts()).toEqual([]);
  });

  test('checks again for a new connection, and refuses a name that has changed', async () => {
    const { get, close } = agentFor([[publicAddress], [privateAddress]]);
    const both = await Promise.allSettled([get('rebind.example'), get('rebind.example')]);
    expect(both[0]).toMatchObject({ status: 'fulfilled', value: 200 });
    expect(both[1]).toMatchObject({ status: 'rejected', reason: expect.any(AddressRefusedError) });
    expect(privateHosts()).toEqual([]);
    await close();
  });

  test('refuses a name with a private address among public ones, and one without any', async () => {
    const mixed = agentFor([[publicAddress, privateAddress]]);
    await expect(mixed.get('mixed.example')).rejects.toThrow(AddressRefusedError);
    await mixed.close();
    const none = agentFor([[]]);
    await expect(none.get('nowhere.example')).rejects.toThrow(NameNotFoundError);
    await none.close();
    expect(privateHosts()).toEqual([]);
  });

  test('checks literals too, however they are spelled', async () => {
    const { get, lookups, close } = agentFor([[privateAddress]]);
    expect(await get(publicAddress)).toBe(200);
    expect(await get('0x7f000001')).toBe(200);
    expect(await get('[::ffff:127.0.0.1]')).toBe(200);
    for (const host of [privateAddress, '127.3', '2130706435', '0x7f.3', '[::ffff:127.0.0.3]', '[::1]', 'localhost']) {
      await expect(get(host)).rejects.toThrow(AddressRefusedError);
    }
    expect(lookups).toEqual(['localhost']);
    expect(privateHosts()).toEqual([]);
    await close();
  });

  test('follows no redirect', async () => {
    const { get, close } = agentFor([[publicAddress]]);
    expect(await get('shop.example', '/redirect')).toBe(302);
    expect(privateHosts()).toEqual([]);
    await close();
  });

  test.each([true, false])('keeps nothing of hosts that it is done with, with keepAlive %s', async (keepAlive) => {
    const { get, origins, limiter, close } = agentFor([[publicAddress]], undefined, keepAlive);
    for (let i = 0; i < 30; i++) await get(`host${i}.example`);
    const { get: refused, origins: refusedOrigins, close: closeRefused } = agentFor([[privateAddress]]);
    for (let i = 0; i < 30; i++) await expect(refused(`host${i}.example`)).rejects.toThrow(AddressRefusedError);
    expect(refusedOrigins()).toBe(0);
    // There are more sockets than concurrent exchanges, and none of them is kept alive beyond the limit.
    expect(limiter.open).toBeLessThanOrEqual(12);
    if (!keepAlive) await expect.poll(origins).toBe(0);
    await close();
    await closeRefused();
    await expect.poll(() => limiter.open).toBe(0);
    expect(limiter.hosts).toBe(0);
  });
});
