import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { connection } from '../store/webhook-makers.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { startFleet } from '../support/fleet.ts';
import { findMongo, noMongo, startMongo } from '../support/mongo-server.ts';
import { startPostern } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const found = findMongo();
if (!found) process.stderr.write(`test/cli/account-data.test.ts, MongoDB: ${noMongo}\n`);

/** Tables and collections that keep amounts of money. */
const accounting = [
  ...['account', 'usage', 'payment', 'hold', 'ledger_commit'],
  ...['accounts', 'usage', 'payments', 'holds', 'ledger_commits'],
];

describe.each(found ? ['sqlite', 'mongodb'] : ['sqlite'])('an account in the %s store', (kind) => {
  describe('with keys, calls, webhooks, deliveries and stored responses', async () => {
    const mongo = kind === 'mongodb' && found ? await startMongo(found) : null;
    const name = `Name ${randomBytes(6).toString('hex')}`;
    const secret = 'a-secret-of-at-least-16';

    const folder = temporaryFolder();
    const receiver = await startReceiver({ secret });
    const fleet = await startFleet(mongo?.url('postern') ?? null);
    afterAll(async () => {
      await fleet.stop();
      await receiver.stop();
      await mongo?.stop();
    });
    const gateways = [await fleet.start(), await fleet.start()];
    const account = await fleet.admin.createAccount(name, 1_000_000);
    await fleet.admin.credit(account, 1_000_000, `Description ${name}`);
    const { id: keyId, key } = await fleet.admin.createKey(account, `Key ${name}`, { dollars_per_day: '1' });
    const owner = (await fleet.admin.createKey(account, `Owner ${name}`)).key.expose();
    const control = new SandboxControl(fleet.sandboxUrl);
    const { authToken, userName } = await control.mint();
    const client = new Client({ baseUrl: gateways[0]?.demo.baseUrl ?? '', key: owner, authToken });
    const created = await client.post('/webhooks', { url: receiver.url, secret });
    const webhook = created.body.data['id'] as string;
    const once = { 'idempotency-key': 'one' };
    await client.with({ key: key.expose() }).post('/tweet/create', { text: 'Hello' }, once);
    await client.get('/user/info', { userName: 'nobody-of-this-name' });
    await control.makeEvents({ type: 'follow', userName });
    const signIn = `sign-in of ${name}`;
    const begun = connection(`conn_${name}`, { account, login: null, signIn });
    await fleet.store.connections.create(begun, { most: 1, mostPending: 1 });
    await until(async () => {
      const { body } = await client.get(`/webhooks/${webhook}/deliveries`);
      expect(body.data['deliveries']).toMatchObject([{ outcome: 'delivered' }]);
    });

    /** Returns all rows or documents that contain one of the texts, each as `table: JSON`. */
    async function rowsWith(texts: readonly string[]): Promise<string[]> {
      const rows: string[] = [];
      if (mongo) {
        const connection = new MongoClient(mongo.url('postern'));
        const db = connection.db();
        for (const { name } of await db.listCollections().toArray()) {
          for (const row of await db.collection(name).find().toArray()) rows.push(`${name}: ${JSON.stringify(row)}`);
        }
        await connection.close();
      } else {
        const database = new Libsql(join(fleet.settings['DATA_DIR'] as string, 'postern.sqlite'));
        const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
        for (const { name } of tables as { name: string }[]) {
          for (const row of database.prepare(`SELECT * FROM "${name}"`).all())
            rows.push(`${name}: ${JSON.stringify(row)}`);
        }
        database.close();
      }
      return rows.filter((row) => texts.some((text) => row.includes(text)));
    }

    test('is exported completely and without secrets', async () => {
      const path = join(folder, 'export.jsonl');
      expect(await postern(['account', 'export', account, path], fleet.settings)).toMatchObject({ code: 0, err: '' });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const text = readFileSync(path, 'utf8');
      const lines: Record<string, unknown>[] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const of = (type: string) => lines.filter((line) => line['type'] === type);
      expect(of('account')).toMatchObject([{ id: account, name, paid: '2' }]);
      const keyNames = of('key').map((key) => key['name']);
      expect(keyNames.sort()).toEqual([`Key ${name}`, `Owner ${name}`]);
      expect(of('payment').map((payment) => payment['amount'])).toEqual(['1', '1']);
      expect(of('usage').map((usage) => usage['action'])).toContain('tweet/create');
      expect(of('webhook')).toMatchObject([{ id: webhook, url: receiver.url }]);
      expect(of('delivery')).toMatchObject([{ webhook_id: webhook, outcome: 'delivered' }]);
      expect(of('connection')).toMatchObject([{ id: `conn_${name}`, status: 'active', user_id: '17' }]);
      expect(of('audit').map((entry) => entry['action'])).toContain('webhook.created');
      const { key, authToken } = client.options;
      for (const hidden of [key, authToken, secret, signIn]) expect(text).not.toContain(hidden);
      const missing = join(folder, 'missing.jsonl');
      expect(await postern(['account', 'export', 'acc_none', missing], fleet.settings)).toMatchObject({ code: 5 });
      expect(existsSync(missing)).toBe(false);
      const again = await postern(['account', 'export', account, path], fleet.settings);
      expect(again).toMatchObject({ code: 2, err: expect.stringContaining('exists') });
      expect((await postern(['account', 'export', account], fleet.settings)).out).toContain(receiver.url);
    });

    test('is deleted only with a confirmation', async () => {
      const unsure = await postern(['account', 'delete', account], fleet.settings);
      expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
      expect((await client.get('/account')).status).toBe(200);
    });

    test('is deleted in all processes, after a kill too, and calls in flight are charged; only amounts of money stay', async () => {
      const traces = [account, keyId, webhook, name];
      expect((await rowsWith(traces)).length).toBeGreaterThan(8);
      const before = await fleet.store.ledger.balance(account);
      await control.setFault({ fault: { kind: 'latency', ms: 8_000 }, operation: 'createPosts' });
      const inFlight = client.post('/tweet/create', { text: 'In flight' }, { 'idempotency-key': 'two' });
      await until(async () => expect((await fleet.store.ledger.balance(account))?.held).toBeGreaterThan(0));

      const killed = startPostern(['account', 'delete', account, '--yes'], fleet.settings);
      await until(() => expect(killed.log()).toContain('Waiting'));
      await killed.end('SIGKILL');
      const second = await postern(['account', 'delete', account, '--json'], fleet.settings);
      expect(second).toMatchObject({ code: 0, err: expect.stringContaining('Deleted the data') });

      expect((await inFlight).status).toBe(200);
      const after = await fleet.store.ledger.balance(account);
      expect(after?.charged).toBeGreaterThan(before?.charged ?? 0);
      expect(after).toMatchObject({ held: 0, paid: 2_000_000 });
      expect(JSON.parse(second.out)).toEqual({ id: account, balance: expect.any(String) });
      for (const { demo } of gateways) {
        expect((await client.with({ baseUrl: demo.baseUrl }).get('/account')).status).toBe(401);
      }
      const left = await rowsWith(traces);
      expect(left.filter((row) => !accounting.includes(row.split(':')[0] ?? ''))).toEqual([]);
      for (const trace of [name, webhook]) expect(left.filter((row) => row.includes(trace))).toEqual([]);
      expect((await postern(['account', 'list'], fleet.settings)).out).toMatch(new RegExp(`${account} +\\(deleted\\)`));
      const credit = await postern(['account', 'credit', account, '1'], fleet.settings);
      expect(credit).toMatchObject({ code: 5, err: expect.stringContaining('was deleted') });
    });
  });
});
