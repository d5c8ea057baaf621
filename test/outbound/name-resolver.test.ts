import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NameResolver } from '../../src/outbound/name-resolver.ts';
import { type ManualRuntime, manualRuntime } from '../store/manual-runtime.ts';
import { atEnd } from '../support/at-end.ts';
import { type NameAnswer, type NameServer, startNameServer } from '../support/name-server.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();

type Answer = (name: string, type: 'A' | 'AAAA' | 'other') => NameAnswer | Buffer | null;

interface Fixture {
  server: NameServer;
  runtime: ManualRuntime;
  /** Returns the addresses, or the error. */
  resolve(name: string, account?: string, signal?: AbortSignal): Promise<unknown>;
  /** Returns the different names that the server was asked for. */
  names(): string[];
  writeResolvConf(text: string): void;
}

async function start(answer: Answer, { hosts = '', resolvConf = '' } = {}): Promise<Fixture> {
  const server = await startNameServer(answer);
  atEnd(() => server.stop());
  const [hostsPath, resolvConfPath] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  const writeResolvConf = (text: string) => writeFileSync(resolvConfPath, text);
  writeFileSync(hostsPath, hosts);
  writeResolvConf(`nameserver ${server.address}\n${resolvConf}`);
  const runtime = manualRuntime();
  const resolver = new NameResolver({ runtime, hostsPath, resolvConfPath });
  return {
    server,
    runtime,
    writeResolvConf,
    names: () => [...new Set(server.asked.map((question) => question.replace(/ .*/, '')))],
    resolve: async (name, account = 'alice', signal = new AbortController().signal) => {
      try {
        return (await resolver.resolve(name, { account, signal })).map(({ address }) => address);
      } catch (error) {
        return error;
      }
    },
  };
}

const found: Answer = () => ({ addresses: ['192.0.2.1', '2001:db8::1'] });
const unknown: NameAnswer = { code: 3 };
/** Answers only names that begin with `fast`. */
const partlySilent: Answer = (name, type) => (name.startsWith('fast') ? found(name, type) : null);
const notFound = { name: 'NameNotFoundError', message: 'does not resolve' };
const late = { name: 'NameNotFoundError', message: 'does not resolve in time' };

describe('name resolver: hosts', () => {
  test('uses the hosts file, IPv4 first, and asks no name server', async () => {
    const { resolve, server } = await start(found, { hosts: '::1 db.example\n10.0.0.5 DB.example\n10.0.0.6 other' });
    expect(await resolve('db.example')).toEqual(['10.0.0.5', '::1']);
    expect(await resolve('other.')).toEqual(['10.0.0.6']);
    expect(server.asked).toEqual([]);
  });

  test('asks no name server for localhost', async () => {
    const { resolve, server } = await start(found);
    for (const name of ['localhost', 'localhost.', 'a.localhost']) {
      expect(await resolve(name)).toEqual(['127.0.0.1', '::1']);
    }
    expect(server.asked).toEqual([]);
  });
});

describe('name resolver: name servers', () => {
  test('returns the addresses of both families, IPv4 first', async () => {
    const { resolve, server } = await start(found);
    expect(await resolve('shop.example')).toEqual(['192.0.2.1', '2001:db8::1']);
    expect([...server.asked].sort()).toEqual(['shop.example A', 'shop.example AAAA']);
  });

  test.each([
    ['A', ['2001:db8::1']],
    ['AAAA', ['192.0.2.1']],
  ])('succeeds if only the question for %s fails', async (failing, addresses) => {
    for (const code of [2, 3, 5]) {
      const { resolve } = await start((name, type) => (type === failing ? { code } : found(name, type)));
      expect(await resolve('shop.example')).toEqual(addresses);
    }
  });

  test('waits 2 s for the family that gets no response', async () => {
    const { resolve, runtime } = await start((name, type) => (type === 'AAAA' ? null : found(name, type)));
    const resolved = resolve('shop.example');
    // The timers of the look-up, of the silent question and of the other family.
    await until(() => expect(runtime.pending).toBe(3));
    await runtime.advance(2_000);
    expect(await resolved).toEqual(['192.0.2.1']);
    expect(runtime.pending).toBe(0);
  });

  test.each([
    ['NXDOMAIN', unknown],
    ['no address', {}],
    ['SERVFAIL', { code: 2 }],
  ])('does not find a name with %s', async (_what, answer) => {
    const { resolve } = await start(() => answer);
    expect(await resolve('shop.example')).toMatchObject(notFound);
  });

  test.each([['a.'.repeat(128)], ['a..example'], [`${'a'.repeat(64)}.example`], ['']])(
    'does not ask for %j, which is no name',
    async (name) => {
      const { resolve, server } = await start(found);
      expect(await resolve(name)).toMatchObject(notFound);
      expect(server.asked).toEqual([]);
    },
  );

  test('ignores bytes that are no response to its question', async () => {
    const { resolve, runtime, server } = await start(() => Buffer.from('nonsense'));
    const resolved = resolve('shop.example');
    await until(() => expect(server.asked).toHaveLength(2));
    await runtime.advance(4_500);
    expect(await resolved).toMatchObject(late);
  });

  test('uses 32 of thousands of addresses', async () => {
    const addresses = Array.from({ length: 4_000 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
    const { resolve } = await start(() => ({ addresses }));
    expect(await resolve('many.example')).toEqual(addresses.slice(0, 32));
  });

  test('asks for search domains in the order of ndots', async () => {
    const { resolve, names } = await start(() => unknown, {
      resolvConf: 'search a.example b.example\noptions ndots:2',
    });
    expect(await resolve('shop.example')).toMatchObject(notFound);
    expect(names()).toEqual(['shop.example.a.example', 'shop.example.b.example', 'shop.example']);
    expect(await resolve('shop.example.')).toMatchObject(notFound);
  });

  test('asks the servers of a changed resolv.conf', async () => {
    const { resolve, runtime, writeResolvConf, server } = await start(() => unknown);
    expect(await resolve('one.example')).toMatchObject(notFound);
    const other = await startNameServer(found);
    atEnd(() => other.stop());
    writeResolvConf(`nameserver ${other.address}\n# changed`);
    runtime.leap(1_000);
    expect(await resolve('two.example')).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(server.asked.every((question) => question.startsWith('one'))).toBe(true);
  });

  test('asks the second server if the first one is silent', async () => {
    const { resolve, runtime, server, writeResolvConf } = await start(() => null);
    const other = await startNameServer(found);
    atEnd(() => other.stop());
    writeResolvConf(`nameserver ${server.address}\nnameserver ${other.address}`);
    const resolved = resolve('shop.example');
    await until(() => expect(server.asked).toHaveLength(2));
    await runtime.advance(1_500);
    expect(await resolved).toEqual(['192.0.2.1', '2001:db8::1']);
  });
});

describe('name resolver: limits', () => {
  test('ends a look-up without response after 4.5 s', async () => {
    const { resolve, runtime, server } = await start(() => null);
    const resolved = resolve('slow.example');
    await until(() => expect(server.asked).toHaveLength(2));
    await runtime.advance(4_500);
    expect(await resolved).toMatchObject(late);
    expect(runtime.pending).toBe(0);
  });

  test('runs 16 look-ups of an account; others of it wait, and other accounts do not', async () => {
    const { resolve, runtime, names } = await start(partlySilent);
    const slow = Array.from({ length: 20 }, (_, i) => resolve(`slow${i}.example`));
    await until(() => expect(names()).toHaveLength(16));
    expect(await resolve('fast.example', 'bob')).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(names()).not.toContain('slow16.example');
    await runtime.advance(4_500);
    expect(await Promise.all(slow.slice(0, 16))).toEqual(Array(16).fill(expect.objectContaining(late)));
    await until(() => expect(names()).toContain('slow19.example'));
    await runtime.advance(4_500);
    expect(await slow[19]).toMatchObject(late);
  });

  test('keeps slots free for a new account if many accounts have slow names', async () => {
    const { resolve, runtime, names } = await start(partlySilent);
    const slow = Array.from({ length: 600 }, (_, i) => resolve(`slow${i}.example`, `account ${i % 30}`));
    // The kernel drops some of the first packets.
    await until(() => expect(names().length).toBeGreaterThan(100));
    expect(await resolve('fast.example', 'newcomer')).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(names().length).toBeLessThanOrEqual(256);
    let isOver = false;
    const ended = Promise.all(slow).finally(() => {
      isOver = true;
    });
    while (!isOver) await runtime.advance(4_500);
    expect(await ended).toEqual(Array(600).fill(expect.objectContaining(late)));
  });

  test('ends a wait with its signal, and caches nothing then', async () => {
    let isSilent = true;
    const { resolve, runtime, names } = await start((...asked) => (isSilent ? null : found(...asked)));
    const slow = Array.from({ length: 16 }, (_, i) => resolve(`slow${i}.example`));
    await until(() => expect(names()).toHaveLength(16));
    const ending = new AbortController();
    const waiting = resolve('waiting.example', 'alice', ending.signal);
    ending.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    await runtime.advance(4_500);
    await Promise.all(slow);
    expect(names()).not.toContain('waiting.example');
    isSilent = false;
    expect(await resolve('waiting.example')).toEqual(['192.0.2.1', '2001:db8::1']);
  });
});

describe('name resolver: shared results', () => {
  test('shares a look-up that runs', async () => {
    const { resolve, server } = await start(found);
    const both = [resolve('shop.example', 'alice'), resolve('shop.example', 'bob')];
    expect(await Promise.all(both)).toEqual(Array(2).fill(['192.0.2.1', '2001:db8::1']));
    expect(server.asked).toHaveLength(2);
  });

  test('does not share a look-up that waits for its account', async () => {
    const { resolve, runtime, names } = await start(partlySilent);
    const slow = Array.from({ length: 16 }, (_, i) => resolve(`slow${i}.example`, 'mallory'));
    const waiting = resolve('fast.example', 'mallory');
    await until(() => expect(names()).toHaveLength(16));
    expect(await resolve('fast.example', 'bob')).toEqual(['192.0.2.1', '2001:db8::1']);
    await runtime.advance(4_500);
    await Promise.all(slow);
    expect(await waiting).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  test.each([
    ['its TTL', { addresses: ['192.0.2.1'], ttl: 10 }, 10_000],
    ['30 s if its TTL is longer', { addresses: ['192.0.2.1'], ttl: 86_400 }, 30_000],
    ['5 s if it failed', unknown, 5_000],
  ])('keeps a result for %s', async (_what, answer, ms) => {
    const { resolve, runtime, server } = await start(() => answer);
    await resolve('shop.example');
    runtime.leap(ms - 1);
    await resolve('shop.example', 'bob');
    expect(server.asked).toHaveLength(2);
    runtime.leap(1);
    await resolve('shop.example');
    expect(server.asked).toHaveLength(4);
    runtime.leap(-3_600_000);
    await resolve('shop.example');
    expect(server.asked).toHaveLength(6);
  });

  test('keeps no result with TTL 0', async () => {
    const { resolve, server } = await start(() => ({ addresses: ['192.0.2.1'], ttl: 0 }));
    await resolve('shop.example');
    await resolve('shop.example');
    expect(server.asked).toHaveLength(4);
  });
});
