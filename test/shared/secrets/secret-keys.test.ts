import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSecretKeys, secretKeyProblem } from '../../../src/main/open-secret-keys.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { OperatorError } from '../../../src/shared/errors/operator-error.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { Vault } from '../../../src/shared/secrets/vault.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/port.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { poller, webhook } from '../../store/webhook-makers.ts';
import { onSqlite } from '../../support/on-sqlite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useMongo } from '../../support/use-mongo.ts';

const server = await useMongo();
const newKey = () => randomBytes(32).toString('base64');
const wrong = /cannot decrypt what the store holds.*: set SECRET_KEY to the earlier key.*secret-key reset/;

describe.each(['sqlite', ...(server.isMissing ? [] : ['mongodb'])])('the secret key of a store on %s', (kind) => {
  let dataDir: string;
  let database: string;
  let store: Store;
  let log: string[];

  beforeEach(async () => {
    dataDir = temporaryFolder();
    database = `postern-${randomBytes(8).toString('hex')}`;
    log = [];
    store =
      kind === 'mongodb'
        ? await openMongoStore({ url: server.url(database) })
        : openSqliteStore({ path: join(dataDir, 'postern.sqlite'), runtime: systemRuntime, durable: false });
  });
  afterEach(() => store.close());

  const configOf = (keys: readonly string[]) =>
    readConfig({ DATA_DIR: dataDir, ...(keys.length > 0 && { SECRET_KEY: keys.join(',') }) });

  /** Starts with these keys. Without a key, uses the file in DATA_DIR. */
  async function start(...keys: string[]): Promise<string[]> {
    const logger = pino({}, { write: (line: string) => void log.push(line) });
    const parts = { check: store.secretCheck, runtime: systemRuntime, logger };
    const opened = await openSecretKeys(configOf(keys), parts);
    return opened.map((key) => key.expose().toString('base64'));
  }

  /** Returns the message of a refused start. The doctor must find the same problem. */
  async function refusal(...keys: string[]): Promise<string> {
    const fault = await secretKeyProblem(configOf(keys), store.secretCheck, systemRuntime);
    const error: unknown = await start(...keys).catch((thrown: unknown) => thrown);
    if (!(error instanceof OperatorError)) throw error;
    expect(error.problem).toEqual(fault);
    return error.message;
  }

  async function forgetCheckValue() {
    if (kind === 'mongodb') {
      const client = new MongoClient(server.url(database));
      await client.db().collection<{ _id: string }>('meta').deleteOne({ _id: 'secret_check' });
      await client.close();
    } else {
      onSqlite(join(dataDir, 'postern.sqlite'), (connection) => connection.exec('DELETE FROM meta'));
    }
    expect(await store.secretCheck.read()).toBeNull();
  }

  async function sealWebhook(key: string) {
    const vault = new Vault([new Secret(Buffer.from(key, 'base64'))], systemRuntime);
    const sealed = vault.seal('{}', 'webhook a w1');
    await store.webhooks.create(webhook('w1', { sealed }), { ...poller('p1'), sealed }, 10);
  }

  test('is refused if it is another one, and the message shows no key', async () => {
    const [key, other] = [newKey(), newKey()];
    expect(await start(key)).toEqual([key]);
    const message = await refusal(other);
    expect(message).toMatch(wrong);
    for (const secret of [key, other]) expect(message).not.toContain(secret);
    await start(key);
  });

  test('is exchanged by giving both; then the old one alone is refused', async () => {
    const [old, next] = [newKey(), newKey()];
    await start(old);
    await start(next, old);
    await start(next, old);
    expect(log).toEqual([]);
    // A process without the new key.
    await start(old);
    expect(log.join()).toContain('SECRET_KEY lacks the newer key');
    await start(old, next);
    await start(next);
    expect(await refusal(old)).toMatch(wrong);
    await start(next);
  });

  test('is made known to all processes before one of them encrypts with it', async () => {
    const [old, next] = [newKey(), newKey()];
    await start(old);
    await start(old, next);
    await start(old);
    expect(await refusal(next)).toMatch(wrong);
    await start(next, old);
    // A process that restarts before it gets the new order.
    await start(old, next);
    await start(next, old);
    await start(next);
    expect(log).toEqual([]);
    expect(await refusal(old)).toMatch(wrong);
  });

  test('is exchanged twice before the oldest goes', async () => {
    const [a, b, c] = [newKey(), newKey(), newKey()];
    await start(a);
    await start(b, a);
    await start(c, b);
    await start(c);
    for (const gone of [a, b]) expect(await refusal(gone)).toMatch(wrong);
  });

  test('is that of the first of several processes which start at once', async () => {
    const keys = Array.from({ length: 6 }, newKey);
    await Promise.allSettled(keys.map((key) => start(key)));
    const settled = await Promise.allSettled(keys.map((key) => start(key)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is checked against other records if the check value is missing, as in a store of an earlier release', async () => {
    const [key, other] = [newKey(), newKey()];
    await sealWebhook(key);
    expect(await refusal(other)).toMatch(wrong);
    expect(await refusal()).toMatch(/secret\.key is missing from DATA_DIR/);
    expect(await store.secretCheck.read()).toBeNull();
    await start(other, key);
    await forgetCheckValue();
    expect(await refusal(other)).toMatch(wrong);
    await start(key);
  });

  test('whose check value was altered is refused', async () => {
    const key = newKey();
    await start(key);
    const value = (await store.secretCheck.read()) ?? '';
    await store.secretCheck.write(`${value.slice(0, -5)}${value.endsWith('AAAAA') ? 'BBBBB' : 'AAAAA'}`, value);
    expect(await refusal(key)).toMatch(wrong);
  });

  test('in a file that was removed or exchanged is refused, and no file is made', async () => {
    const [made = ''] = await start();
    const path = join(dataDir, 'secret.key');
    rmSync(path);
    expect(await refusal()).toMatch(/secret\.key is missing .*: restore the file from the backup, or set SECRET_KEY/);
    expect(existsSync(path)).toBe(false);
    expect(await start(made)).toEqual([made]);
    writeFileSync(path, newKey(), { mode: 0o600 });
    expect(await refusal()).toMatch(/^secret\.key in DATA_DIR cannot decrypt/);
    await store.secretCheck.discardSealed();
    await start();
  });

  test('is made once by processes that start at once on an empty store', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => start()));
    expect(new Set(started.flat()).size).toBe(1);
  });
});
