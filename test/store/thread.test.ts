import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { RemoteStore } from '../../src/store/thread/remote-store.ts';
import { serveStore } from '../../src/store/thread/serve-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeStore } from './conformance.ts';
import { manualRuntime } from './manual-runtime.ts';

const { openSqliteStoreInThread } = (await import(
  new URL('../../dist/store/sqlite/worker-host.js', import.meta.url).href
)) as typeof import('../../src/store/sqlite/worker-host.ts');

describeStore('the sqlite store behind a message port', async () => {
  const path = join(temporaryFolder(), 'postern.db');
  const runtime = manualRuntime();
  const ends: (() => Promise<void>)[] = [];
  return {
    async open() {
      const { port1, port2 } = new MessageChannel();
      serveStore(openSqliteStore({ path, runtime, durable: false }), port1);
      const store = new RemoteStore('sqlite', port2, runtime.now);
      ends.push(async () => {
        await store.close();
        port1.close();
      });
      return store;
    },
    now: runtime.now,
    leap: runtime.leap,
    async end() {
      for (const end of ends) await end();
    },
  };
});

describe('the sqlite store in its thread', () => {
  let path: string;
  beforeEach(() => {
    path = join(temporaryFolder(), 'postern.db');
  });

  test('counts the calls that wait for it', async () => {
    const store = await openSqliteStoreInThread({ path });
    const calls = [store.ready(), store.accounts.find('a')];
    expect(store.callsWaiting?.()).toBe(2);
    await Promise.all(calls);
    expect(store.callsWaiting?.()).toBe(0);
    await store.close();
  });

  test('keeps what it acknowledged, and ends when it is closed', async () => {
    const store = await openSqliteStoreInThread({ path });
    expect(await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 })).toBe(true);
    await store.close();
    await store.close();
    const again: Store = await openSqliteStoreInThread({ path });
    expect(await again.accounts.find('a')).toMatchObject({ id: 'a', name: 'Ada', createdAt: 1 });
    await again.ready();
    await again.close();
    await expect(again.ready()).rejects.toMatchObject({ name: StoreUnavailableError.name });
  });

  test('reports why it cannot open', async () => {
    await expect(openSqliteStoreInThread({ path: join(path, 'missing', 'x.db') })).rejects.toMatchObject({
      name: StoreUnavailableError.name,
      message: expect.stringContaining('Cannot open the database'),
    });
    writeFileSync(path, 'this is no database, whatever its name may say about it '.repeat(50));
    await expect(openSqliteStoreInThread({ path })).rejects.toMatchObject({ name: StoreUnavailableError.name });
  });
});
