import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { makeClient, refuseTopology } from '../../src/store/mongo/client.ts';
import { indexes } from '../../src/store/mongo/collections.ts';
import { schemaVersion } from '../../src/store/mongo/migrate.ts';
import { type MongoStoreOptions, openMongoStore } from '../../src/store/mongo/store.ts';
import { type LedgerCommit, type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { findMongo, freePort, type MongoServer, noMongo, startMongo } from '../support/mongo-server.ts';
import { append, copiedErrors, poller, running, webhook } from './webhook-makers.ts';

const found = findMongo();
if (!found) process.stderr.write(`test/store/mongo-start.test.ts ${noMongo}\n`);

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const empty = { begins: false, release: 0, settle: [], late: [], reserve: [] };

describe('a server that will not do', () => {
  it('is a standalone one, with what to run instead', () => {
    expect(refuseTopology({ isWritablePrimary: true })).toEqual({
      detail: expect.stringMatching(/standalone/),
      advice: expect.stringMatching(/mongod --replSet rs0.*rs\.initiate\(\)/),
    });
  });

  it('is one that is not the primary', () => {
    const secondary = { setName: 'rs0', secondary: true, isWritablePrimary: false };
    expect(refuseTopology(secondary)).toEqual({
      detail: expect.stringMatching(/not its primary$/),
      advice: expect.stringMatching(/^leave directConnection out/),
    });
  });

  it('is neither a replica set nor a sharded cluster', () => {
    expect(refuseTopology({ setName: 'rs0', isWritablePrimary: true })).toBeNull();
    expect(refuseTopology({ msg: 'isdbgrid', isWritablePrimary: true })).toBeNull();
  });

  it.each([
    ['hunter2'],
    ['mongodb://user:hunter2'],
    ['mongodb://user:hunter2@'],
    ['mongodb://user:hunter2:x@host'],
    ['mongodb://user:hun%ter2@host'],
    ['mongodb://user:hunter2@host:port'],
    ['mongodb://user:hunter2@host/?hunter2=1'],
    ['mongodb+srv://user:hunter2@host:1'],
  ])('is no address: %s', async (url) => {
    const fault = await openMongoStore({ url }).catch((error: unknown) => error);
    expect(fault).not.toBeInstanceOf(StoreUnavailableError);
    expect(String(fault)).toMatch(/MONGODB_URL is not an address.*mongodb:\/\/user:password@host1/);
    expect(JSON.stringify(fault, Object.getOwnPropertyNames(fault))).not.toMatch(/hun.{0,3}ter2/);
  });

  it.each([
    ['mongodb://host', 'postern'],
    ['mongodb://host/', 'postern'],
    ['mongodb://host/?replicaSet=a', 'postern'],
    ['mongodb://h1:1,h2:2/mine?w=1', 'mine'],
    ['mongodb://user:pass@host/mine?authSource=admin', 'mine'],
  ])('of %s has the database %s', async (url, database) => {
    const address = makeClient(url);
    expect(address.database).toBe(database);
    await address.client.close();
  });

  it('cannot be talked out of the promises by its URL', async () => {
    const { client } = makeClient(
      'mongodb://host/?w=1&journal=false&wtimeoutMS=0&readConcernLevel=local&retryWrites=false&readPreference=nearest',
    );
    const { writeConcern, readConcern, readPreference, retryWrites } = client.options;
    expect(writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 4_000 });
    expect(readConcern?.level).toBe('majority');
    expect(readPreference.mode).toBe('primary');
    expect(retryWrites).toBe(true);
    await client.close();
  });

  it('has a name that nobody knows', async () => {
    const fault = await openMongoStore({ url: 'mongodb+srv://user:hunter2@nobody.invalid/x' }).catch((error) => error);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault.message).toMatch(/nobody\.invalid cannot be reached/);
    expect(fault.message).not.toContain('hunter2');
  });

  it('is not there: told with its place, soon, and without the password', async () => {
    const port = await freePort();
    const began = performance.now();
    const fault = await openMongoStore({ url: `mongodb://user:hunter2@127.0.0.1:${port}/x` }).catch((error) => error);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault.message).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached .*ECONNREFUSED.*check MONGODB_URL`),
    );
    expect(fault.message).not.toContain('hunter2');
  });

  it.skipIf(found?.kind !== 'secantus')('is refused over the wire too; so is a wrong password', async () => {
    if (!found) return;
    const standalone = await startMongo(found, { args: ['--standalone'] });
    await expect(openMongoStore({ url: standalone.url('x') })).rejects.toThrow(/standalone/);
    await standalone.stop();
    const closed = await startMongo(found, { args: ['--auth'] });
    const url = closed.url('x').replace('//', '//user:hunter2@');
    const fault = await openMongoStore({ url }).catch((error: unknown) => error);
    expect(String(fault)).toMatch(/refuses the user or the password of MONGODB_URL/);
    expect(String(fault)).not.toContain('hunter2');
    await closed.stop();
  });
});

describe.skipIf(!found)('a MongoDB database', () => {
  let server: MongoServer;
  let url: string;
  let raw: MongoClient;
  let opened: Store[];

  beforeAll(async () => {
    if (found) server = await startMongo(found);
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    url = server.url(`postern-${randomBytes(8).toString('hex')}`);
    raw = new MongoClient(url);
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await raw.db().dropDatabase();
    await raw.close();
  });

  const open = async (options: Partial<MongoStoreOptions> = {}) => {
    const store = await openMongoStore({ url, ...options });
    opened.push(store);
    return store;
  };

  it('is made once, however many open it at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    for (const store of stores) expect((await store.inspect()).faults).toEqual([]);
    const meta = await raw.db().collection('meta').find().toArray();
    expect(meta.filter(({ _id }) => String(_id) === 'schema')).toMatchObject([{ version: schemaVersion, v: 1 }]);
    expect(meta.filter(({ _id }) => String(_id) === 'lock')).toEqual([]);
  });

  it('that somebody died while making is made by the next, once the lock has ended', async () => {
    const until = new Date(Date.now() + 1_500);
    await raw
      .db()
      .collection('meta')
      .insertOne({ _id: 'lock' as never, v: 1, owner: 'dead', until });
    const began = Date.now();
    await open();
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it('of an older Postern loses the errors of webhooks that are derived now, and no others', async () => {
    const before = await open();
    for (const [id, lastError] of copiedErrors) {
      await before.webhooks.create(webhook(id, { lastError }), poller(), 10);
    }
    await before.close();
    await raw
      .db()
      .collection('meta')
      .updateOne({ _id: 'schema' as never }, { $set: { version: 2 } });
    const store = await open();
    const kept = async ([id]: (typeof copiedErrors)[number]) => (await store.webhooks.find('a', id))?.lastError;
    expect(await Promise.all(copiedErrors.map(kept))).toEqual([null, null, 'CRC failed: it refuses connections', null]);
  });

  it('of a newer Postern is refused with what to do', async () => {
    await (await open()).close();
    await raw
      .db()
      .collection('meta')
      .updateOne({ _id: 'schema' as never }, { $set: { version: 9_000 } });
    await expect(open()).rejects.toThrow(
      /newer Postern.*use the newer Postern, or name another database in MONGODB_URL/,
    );
  });

  // Not on a server of somebody's own, where it could be in use.
  it.skipIf(found?.kind === 'running')('is named postern where the URL names none', async () => {
    url = server.url('');
    const { facts } = await (await open()).inspect();
    expect(facts).toContainEqual(['database', 'postern']);
    await raw.db('postern').dropDatabase();
  });

  it('carries a version in every document, and the sum of its holds in every account', async () => {
    const store = await open();
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.keys.create({
      ...{ id: 'k', account: 'a', name: 'n', prefix: 'p', hash: 'h', createdAt: 1 },
      ...{ lastUsedAt: null, revokedAt: null },
    });
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 5_000_000_000, description: 'd', createdAt: 1 });
    const answer = { key: 'k', answer: 'x' };
    const late = [{ usage: [{ hour: 1, action: 'x', calls: 1, micros: 7 }], answer }];
    const commit = { ...empty, account: 'a', writer: 'w', generation: 1, begins: true, createdAt: store.now() };
    await store.ledger.commit({ ...commit, id: 'c', late, reserve: [4_000_000_000, 3] });
    await store.processes.beat('p1');
    await store.events.append(append(await running(store), ['e1']));
    await store.ready();
    const db = raw.db();
    for (const name of await db.listCollections().toArray()) {
      const documents = await db.collection(name.name).find().toArray();
      expect(documents.length, name.name).toBeGreaterThan(0);
      for (const document of documents) expect(document, name.name).toMatchObject({ v: 1 });
    }
    const [sum] = await db
      .collection('holds')
      .aggregate([{ $group: { _id: null, open: { $sum: '$open' } } }])
      .toArray();
    expect(sum?.['open']).toBe(4_000_000_003);
    expect((await store.ledger.balance('a'))?.held).toBe(4_000_000_003);
    const [account] = await db.collection('accounts').find({}, { promoteLongs: false }).toArray();
    expect(account?.['avail']._bsontype).toBe('Long');
  });

  it('forgets by itself what has a time', async () => {
    await open();
    for (const name of ['ledger_commits', 'idempotency', 'processes', 'runners', 'events', 'deliveries']) {
      expect(await raw.db().collection(name).indexes()).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    }
  });

  it('tells what it lacks and makes it at the next start', async () => {
    const store = await open();
    await raw.db().collection('holds').dropIndex('by_until');
    expect((await store.inspect()).faults).toMatchObject([
      { detail: expect.stringContaining('Indexes are missing (holds.by_until)') },
    ]);
    expect((await (await open()).inspect()).faults).toEqual([]);
    expect(indexes.holds).toHaveLength(2);
  });

  it('has one clock, whatever the machines show', async () => {
    const ahead = { ...systemRuntime, now: () => Date.now() + 3_600_000 };
    const [wrong, right] = [await open({ runtime: ahead }), await open()];
    expect(Math.abs(wrong.now() - right.now())).toBeLessThan(1_000);
    expect((await wrong.inspect()).faults).toMatchObject([
      { detail: expect.stringMatching(/clock is 3600 s ahead of MongoDB's/), advice: 'let NTP set both' },
    ]);
    const claim = { account: 'a', key: 'k', fingerprints: ['f'] };
    await right.idempotency.claim({ ...claim, owner: 'o1' });
    expect(await wrong.idempotency.claim({ ...claim, owner: 'o2' })).toEqual({ status: 'running' });
  });

  it('gives every hold back exactly once, however many sweep while others write', async () => {
    let leapt = 0;
    const adjustClock = (serverMs: number) => serverMs + leapt;
    const stores = await Promise.all([open({ adjustClock }), open({ adjustClock }), open({ adjustClock })]);
    const [store] = stores;
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 1_000, description: 'd', createdAt: 1 });
    const commit = (id: string, parts: Partial<LedgerCommit>): LedgerCommit => ({
      ...{ ...empty, id, account: 'a', writer: id, generation: 1, begins: true, createdAt: store.now() },
      ...parts,
    });
    for (let index = 0; index < 30; index++) await store.ledger.commit(commit(`h${index}`, { reserve: [10] }));
    leapt = 20_001;
    const charged = { usage: [{ hour: 1, action: 'x', calls: 1, micros: 1 }] };
    const results = await Promise.all([
      ...stores.map((each) => each.ledger.sweep()),
      ...stores.map((each, index) => each.ledger.commit(commit(`l${index}`, { late: [charged] }))),
      ...stores.map((each, index) => each.ledger.commit(commit(`r${index}`, { reserve: [5] }))),
    ]);
    const ended = results.reduce<number>((total, result) => total + (typeof result === 'number' ? result : 0), 0);
    expect(ended).toBe(30);
    expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 3, avail: 982, held: 15 });
  });
});
