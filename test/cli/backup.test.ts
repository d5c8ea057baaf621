import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { restore } from '../../src/main/backup.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { Client } from '../support/client.ts';
import { postern, posternProcess } from '../support/command.ts';
import { startFleet } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

describe('a backup of the embedded store', () => {
  describe('made while calls are charged', async () => {
    const folder = temporaryFolder();
    const backup = join(folder, 'backup');
    const receiver = await startReceiver();
    const fleet = await startFleet(null);
    afterAll(async () => {
      await fleet.stop();
      await receiver.stop();
    });
    const { baseUrl, accounts } = (await fleet.start()).demo;
    const account = await fleet.admin.createAccount('Busy', 10_000_000);
    const key = (await fleet.admin.createKey(account, 'Key')).key.expose();
    const client = new Client({ baseUrl, key, authToken: accounts[0].authToken });
    const created = await client.post('/webhooks', { url: receiver.url, secret: 'a-secret-of-at-least-16' });
    const webhook = created.body.data['id'] as string;

    let charged = 0;
    let isRunning = true;
    const calling = Array.from({ length: 4 }, async () => {
      while (isRunning) {
        await client.get('/user/info', { userName: 'grace' });
        charged += 1;
      }
    });
    await until(() => expect(charged).toBeGreaterThan(20));
    const made = await postern(['backup', backup], fleet.settings);
    isRunning = false;
    await Promise.all(calling);

    /** Returns settings with an empty store and the secret key of the backup. */
    const emptyStore = (): Record<string, string> => ({
      ...fleet.settings,
      DATA_DIR: join(folder, randomBytes(6).toString('hex')),
    });

    async function copyOf(change: (data: string) => void): Promise<string> {
      const copy = join(folder, randomBytes(6).toString('hex'));
      await cp(backup, copy, { recursive: true });
      change(join(copy, 'postern.sqlite'));
      return copy;
    }

    async function withStore<T>(settings: Record<string, string>, work: (store: Store) => Promise<T>): Promise<T> {
      const store = await openStore(readConfig(settings), systemRuntime);
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    }

    test('shows progress, says where the key is, and can only be read by its owner', () => {
      expect(made).toMatchObject({ code: 0, out: expect.stringContaining('The secret key is not in it') });
      expect(made.err).toContain('Backing up: 100 %');
      expect(statSync(backup).mode & 0o777).toBe(0o700);
      for (const file of readdirSync(backup)) expect(statSync(join(backup, file)).mode & 0o777).toBe(0o600);
    });

    test('may be named with a slash at the end', async () => {
      const path = join(folder, 'with-slash');
      expect(await postern(['backup', `${path}/`], fleet.settings)).toMatchObject({ code: 0 });
      expect(readdirSync(path).sort()).toEqual(readdirSync(backup).sort());
    });

    test('overwrites nothing', async () => {
      const again = await postern(['backup', backup], fleet.settings);
      expect(again).toMatchObject({ code: 1, err: expect.stringContaining('overwrites nothing') });
      expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    });

    test('can be restored: balances equal payments minus usage, and a gateway reads the secrets', async () => {
      const settings = emptyStore();
      const restored = await postern(['restore', backup], settings);
      expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('Restored the backup of ') });
      await withStore(settings, async (store) => {
        // The credit of calls that were in flight comes back when their holds expire.
        const accounts = await store.accounts.list();
        for (const { id, paid, charged, avail, held } of accounts) {
          const usage = await store.ledger.usage(id, 0, Number.MAX_SAFE_INTEGER);
          const payments = await store.ledger.payments(id, 100);
          const sum = (lines: readonly { micros: number }[]) => lines.reduce((total, { micros }) => total + micros, 0);
          expect([charged, paid, avail + held]).toEqual([sum(usage), sum(payments), sum(payments) - sum(usage)]);
        }
        expect(accounts.find(({ name }) => name === 'Busy')?.charged).toBeGreaterThan(0);
      });
      const gateway = await fleet.start(settings);
      const read = await client.with({ baseUrl: gateway.demo.baseUrl }).get(`/webhooks/${webhook}`);
      expect(read.body.data).toMatchObject({ url: receiver.url });
      const refused = await postern(['restore', backup], settings);
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/A gateway .*uses|overwrites nothing/) });
      await gateway.process.end('SIGTERM');
    });

    test.each([
      ['truncated', (data: string) => truncateSync(data, statSync(data).size - 100)],
      ['bit-flipped', flipBit],
      ['with a changed manifest', (data: string) => flipBit(join(data, '../manifest.json'))],
    ])('that is %s is refused and nothing is written', async (_, change) => {
      const settings = emptyStore();
      const outcome = await postern(['restore', await copyOf(change)], settings);
      expect(outcome).toMatchObject({ code: 1, err: expect.stringMatching(/The backup is damaged: .*copy it again/) });
      expect(existsSync(join(settings['DATA_DIR'] as string, 'postern.sqlite'))).toBe(false);
      expect((await withStore(settings, (store) => store.accounts.list())).length).toBe(0);
    });

    test('is not restored over other data', async () => {
      const settings = emptyStore();
      await withStore(settings, (store) => store.accounts.create({ id: 'acc_1', name: 'One', createdAt: 1 }));
      const outcome = await postern(['restore', backup], settings);
      expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('a restore overwrites nothing') });
    });

    test('is restored once by commands that run at the same time', async () => {
      const settings = emptyStore();
      const outcomes = await Promise.all([1, 2, 3].map(() => posternProcess(['restore', backup], settings)));
      expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
      for (const { code, err } of outcomes) {
        if (code === 1) expect(err).toMatch(/another restore uses|overwrites nothing/);
      }
      const accounts = await withStore(settings, (store) => store.accounts.list());
      expect(accounts.find(({ name }) => name === 'Busy')?.paid).toBe(10_000_000);
    });

    test('is restored by one command only, from the check of the backup on', async () => {
      const config = readConfig(emptyStore());
      const options = { withoutSecrets: false };
      let second: Promise<unknown> | undefined;
      const startSecond = () => {
        second ??= restore(config, backup, { ...options, onChecked: () => {} }).catch(String);
      };
      await restore(config, backup, { ...options, onChecked: startSecond });
      expect(await second).toContain('A gateway or another restore uses');
    });

    test('needs its secret key; without it, only the encrypted data is lost', async () => {
      const settings = { ...emptyStore(), SECRET_KEY: randomBytes(32).toString('base64') };
      const refused = await postern(['restore', backup], settings);
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/SECRET_KEY.*--without-secrets/) });
      expect((await postern(['restore', backup, '--without-secrets'], settings)).code).toBe(0);
      await withStore(settings, async (store) => {
        const busy = (await store.accounts.list()).find(({ name }) => name === 'Busy');
        expect(busy?.paid).toBe(10_000_000);
        expect(await store.webhooks.list(busy?.id ?? '', 10)).toEqual([]);
      });
      const gateway = await fleet.start(settings);
      await gateway.process.end('SIGTERM');
    });
  });
});

test.each(['backup', 'restore'])('postern %s: refuses MongoDB, and names mongodump', async (command) => {
  const settings = { MONGODB_URL: 'mongodb://127.0.0.1:1/postern', SECRET_KEY: randomBytes(32).toString('base64') };
  const path = join(tmpdir(), 'postern-backup-of-mongodb');
  const outcome = await postern([command, path], settings);
  expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('mongodump and mongorestore') });
  expect(existsSync(path)).toBe(false);
});

test('a damaged database gives no backup, but a message that says what to do', async () => {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'postern.sqlite');
  // In its own process, because statements of libsql keep a closed database open.
  await posternProcess(['account', 'create', '--name', 'One', '--credits', '1'], { DATA_DIR: folder });
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 4096 * 2));
  const outcome = await postern(['backup', join(folder, 'backup')], { DATA_DIR: folder });
  expect(outcome).toMatchObject({ code: 1, err: expect.stringMatching(/is damaged .*postern restore/) });
  expect(readdirSync(folder).filter((name) => name.includes('backup'))).toEqual([]);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

function flipBit(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
