import { randomBytes } from 'node:crypto';
import { Long, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { makeClient, refuseTopology } from '../../src/store/mongo/client.ts';
import { idOf, indexes } from '../../src/store/mongo/collections.ts';
import { schemaVersion } from '../../src/store/mongo/migrate.ts';
import { type MongoStoreOptions, openMongoStore } from '../../src/store/mongo/store.ts';
import { type LedgerCommit, type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { findMongo, freePort } from '../support/mongo-server.ts';
import { patientMs } from '../support/processor-time.ts';
import { useMongo } from '../support/use-mongo.ts';
import {
  apiKey,
  append,
  auditEntry,
  connection,
  copiedErrors,
  makeCommit,
  poller,
  running,
  webhook,
} from './webhook-makers.ts';

const found = findMongo();
const server = await useMongo();

describe('the URL of a database', () => {
  test.each([
    ['mongodb://host', 'postern'],
    ['mongodb://host/', 'postern'],
    ['mongodb://host/?replicaSet=a', 'postern'],
    ['mongodb://h1:1,h2:2/mine?w=1', 'mine'],
    ['mongodb://user:pass@host/mine?authSource=admin', 'mine'],
  ])('%s has the database %s', async (url, database) => {
    const address = makeClient(url);
    expect(address.database).toBe(database);
    await address.client.close();
  });

  test('cannot weaken the required guarantees', async () => {
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

  test('may set timeouts, in upper or lower case', async () => {
    const { client } = makeClient('mongodb://host/?connectTimeoutMS=30000&SERVERSELECTIONTIMEOUTMS=20000');
    expect(client.options).toMatchObject({
      connectTimeoutMS: 30_000,
      serverSelectionTimeoutMS: 20_000,
      heartbeatFrequencyMS: 1_000,
      socketTimeoutMS: 5_000,
    });
    await client.close();
  });

  test.each(['socketTimeoutMS=0', 'connectTimeoutMS=0', 'waitQueueTimeoutMS=60001'])('may not set %s', (option) => {
    expect(() => makeClient(`mongodb://user:hunter2@host/?${option}`)).toThrow(
      `${option.replace('=', ' in MONGODB_URL is ')}: it must be between 1 and 60000 milliseconds`,
    );
  });
});

describe('an unsuitable server', () => {
  test('is standalone: the error has the command to run', () => {
    expect(refuseTopology({ isWritablePrimary: true })).toEqual({
      detail: expect.stringMatching(/standalone/),
      advice: expect.stringMatching(/mongod --replSet rs0.*rs\.initiate\(\)/),
    });
  });

  test('is not the primary', () => {
    const secondary = { setName: 'rs0', secondary: true, isWritablePrimary: false };
    expect(refuseTopology(secondary)).toEqual({
      detail: expect.stringMatching(/not its primary$/),
      advice: expect.stringMatching(/^remove directConnection/),
    });
  });

  test('is neither a replica set nor a sharded cluster', () => {
    expect(refuseTopology({ setName: 'rs0', isWritablePrimary: true })).toBeNull();
    expect(refuseTopology({ msg: 'isdbgrid', isWritablePrimary: true })).toBeNull();
  });

  test.each([
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
    expect(String(fault)).toMatch(/MONGODB_URL is not a valid MongoDB URL.*mongodb:\/\/user:password@host1/);
    expect(JSON.stringify(fault, Object.getOwnPropertyNames(fault))).not.toMatch(/hun.{0,3}ter2/);
  });

  test('has an unknown host name', async () => {
    const fault = await openMongoStore({ url: 'mongodb+srv://user:hunter2@nobody.invalid/x' }).catch((error) => error);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault.message).toMatch(/nobody\.invalid cannot be reached/);
    expect(fault.message).not.toContain('hunter2');
  });

  test('is not reachable: the error comes soon and has the address without the password', async () => {
    const port = await freePort();
    let fault = new Error('no error');
    const ms = await patientMs(async () => {
      fault = await openMongoStore({ url: `mongodb://user:hunter2@127.0.0.1:${port}/x` }).catch((error) => error);
    });
    // The driver alone waits for 30 s.
    expect(ms).toBeLessThan(20_000);
    expect(fault).toBeInstanceOf(StoreUnavailableError);
    expect(fault.message).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached .*ECONNREFUSED.*check MONGODB_URL`),
    );
    expect(fault.message).not.toContain('hunter2');
  });

  test.skipIf(found?.kind !== 'secantus')('is refused over the wire too; so is a wrong password', async () => {
    const standalone = await useMongo({ args: ['--standalone'] });
    await expect(openMongoStore({ url: standalone.url('x') })).rejects.toThrow(/standalone/);
    const closed = await useMongo({ args: ['--auth'] });
    const url = closed.url('x').replace('//', '//user:hunter2@');
    const fault = await openMongoStore({ url }).catch((error: unknown) => error);
    expect(String(fault)).toMatch(/refuses the user or the password of MONGODB_URL/);
    expect(String(fault)).not.toContain('hunter2');
  });
});

describe.skipIf(server.isMissing)('a MongoDB database', () => {
  let url: string;
  let raw: MongoClient;
  let opened: Store[];

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
  const meta = () => raw.db().collection('meta');
  const setSchema = ($set: object) => meta().updateOne({ _id: 'schema' as never }, { $set });

  test('is created once, even if several processes open it at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    for (const store of stores) expect((await store.inspect()).problems).toEqual([]);
    expect(await meta().findOne({ _id: 'schema' as never })).toMatchObject({ version: schemaVersion, v: 1 });
    expect(await meta().findOne({ _id: 'lock' as never })).toBeNull();
  });

  test('whose creation was interrupted is created by the next process when the lock has expired', async () => {
    const until = new Date(Date.now() + 1_500);
    await meta().insertOne({ _id: 'lock' as never, v: 1, owner: 'dead', until });
    await open();
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
  });

  test('of an older Postern loses only the errors of webhooks that are now derived', async () => {
    const before = await open();
    for (const [id, lastError] of copiedErrors) {
      await before.webhooks.create(webhook(id, { lastError }), poller(), 10);
    }
    await before.close();
    await setSchema({ version: 2 });
    const store = await open();
    const kept = async ([id]: (typeof copiedErrors)[number]) => (await store.webhooks.find('a', id))?.lastError;
    expect(await Promise.all(copiedErrors.map(kept))).toEqual([null, null, 'CRC failed: it refuses connections', null]);
  });

  test('adds up the usage of a running process that knows no platform costs', async () => {
    const store = await open();
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 500, description: 'd', createdAt: 1 });
    const line = { hour: 1, action: 'user/me', calls: 1, micros: 100, platformMicros: 9 };
    const useOld = () =>
      raw
        .db()
        .collection('usage')
        .updateOne(
          { _id: idOf('a', 1, 'user/me') as never, account: 'a' },
          {
            $inc: { calls: Long.fromNumber(1), micros: Long.fromNumber(100) },
            $setOnInsert: { v: 1, hour: 1, action: 'user/me' },
          },
          { upsert: true },
        );
    await useOld();
    expect(await store.ledger.usage('a', 0, 2)).toEqual([{ ...line, platformMicros: 0 }]);
    await store.ledger.commit(makeCommit(store, 'c', { begins: true, late: [{ usage: [line] }] }));
    await useOld();
    expect(await store.ledger.usage('a', 0, 2)).toEqual([{ ...line, calls: 3, micros: 300 }]);
  });

  test('has the low credit that a running process without account events records', async () => {
    const store = await open();
    const amounts = { credit: 5, threshold: 6 };
    const old = { _id: 'evt_1' as never, v: 1, account: 'a', at: new Date(1), ...amounts };
    await raw.db().collection('low_credit').insertOne(old);
    await store.accountEvents.add({ id: 'evt_2', account: 'a', type: 'connection.expired', sealed: 'sealed' });
    const found = await store.accountEvents.waiting(10);
    const low = { id: 'evt_1', account: 'a', type: 'account.low_credit', at: 1, sealed: null, amounts };
    expect(found).toEqual([low, expect.objectContaining({ id: 'evt_2' })]);
    for (const event of found) await store.accountEvents.queue(event, 'sealed', []);
    expect(await store.accountEvents.waiting(10)).toEqual([]);
    expect(await raw.db().collection('low_credit').countDocuments()).toBe(0);
  });

  test('of a newer version of Postern is refused with the next step', async () => {
    await (await open()).close();
    await setSchema({ version: 9_000, compatibleSince: 9_000 });
    await expect(open()).rejects.toThrow(
      /newer version of Postern.*use the newer version of Postern, or another database in MONGODB_URL/,
    );
  });

  test('of a newer version of Postern is used if the newer version allows it', async () => {
    await (await open()).close();
    const version = schemaVersion + 1;
    await setSchema({ version, compatibleSince: schemaVersion });
    await (await open()).accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    expect(await meta().findOne({ _id: 'schema' as never })).toMatchObject({ version });
  });

  test('is not migrated while processes run that could not work with it', async () => {
    const old = await open();
    await old.processes.beat('old');
    await setSchema({ version: 2 });
    await expect(open()).rejects.toThrow(
      /running processes of an older version.*1 of them.*stop them first.*counts as running for 30 s/,
    );
    await old.processes.leave('old');
    await open();
  });

  // An existing server is not used, because its database could be in use.
  test.skipIf(found?.kind === 'running')('is named postern where the URL names none', async () => {
    url = server.url('');
    const { facts } = await (await open()).inspect();
    expect(facts).toContainEqual(['database', 'postern']);
    await raw.db('postern').dropDatabase();
  });

  test('has a version in every document and the sum of its holds in every account', async () => {
    const store = await open();
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.keys.create(apiKey('k'), auditEntry('e', { at: store.now() }));
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 5_000_000_000, description: 'd', createdAt: 1 });
    await store.accounts.setLowCreditThreshold('a', 5_000_000_000);
    const answer = { key: 'k', answer: 'x', limit: { bytes: 1, brief: '' } };
    const late = [{ usage: [{ hour: 1, action: 'x', calls: 1, micros: 7 }], answer }];
    await store.ledger.commit(makeCommit(store, 'c', { begins: true, late, reserve: [4_000_000_000, 3] }));
    const budget = { key: 'k', microsPerDay: 10 };
    const unanswered = late.map(({ usage }) => ({ usage }));
    await store.ledger.commit(makeCommit(store, 'd', { begins: true, late: unanswered, budget }));
    const hour = Math.floor(store.now() / 3_600_000);
    await store.statistics.add([{ account: 'a', hour, action: 'x', errors: {}, durations: { 1: 1 } }]);
    await store.processes.beat('p1');
    await store.platformState.write('session a', 'sealed', null, 60_000);
    await store.identifiers.save([{ hash: '12', identifier: 'did:web:weaver.example' }], 60_000, 10);
    await store.events.append(append(await running(store), ['e1']));
    await store.connections.create(connection('c'), { most: 1, mostPending: 1 });
    await raw
      .db()
      .collection('low_credit')
      .insertOne({ _id: 'evt_1' as never, v: 1 });
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

  test('deletes expired documents by itself', async () => {
    await open();
    for (const name of ['ledger_commits', 'idempotency', 'processes', 'runners', 'events', 'deliveries']) {
      expect(await raw.db().collection(name).indexes()).toContainEqual(
        expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
      );
    }
  });

  test('reports missing indexes and creates them at the next start', async () => {
    const store = await open();
    await raw.db().collection('holds').dropIndex('by_until');
    expect((await store.inspect()).problems).toMatchObject([
      { detail: expect.stringContaining('Indexes are missing (holds.by_until)') },
    ]);
    expect((await (await open()).inspect()).problems).toEqual([]);
    expect(indexes.holds).toHaveLength(2);
  });

  test('uses one clock, also for machines with different clocks', async () => {
    const ahead = { ...systemRuntime, now: () => Date.now() + 3_600_000 };
    const [wrong, right] = [await open({ runtime: ahead }), await open()];
    expect(Math.abs(wrong.now() - right.now())).toBeLessThan(1_000);
    expect((await wrong.inspect()).problems).toMatchObject([
      { detail: expect.stringMatching(/clock is 3600 s ahead of MongoDB's/), advice: 'synchronise both with NTP' },
    ]);
    const claim = { account: 'a', key: 'k', fingerprints: ['f'] };
    await right.idempotency.claim({ ...claim, owner: 'o1' });
    expect(await wrong.idempotency.claim({ ...claim, owner: 'o2' })).toEqual({ status: 'running' });
  });

  test('releases every hold exactly once during concurrent sweeps and writes', async () => {
    let leapt = 0;
    const adjustClock = (serverMs: number) => serverMs + leapt;
    const stores = await Promise.all([open({ adjustClock }), open({ adjustClock }), open({ adjustClock })]);
    const [store] = stores;
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 1_000, description: 'd', createdAt: 1 });
    const commit = (id: string, parts: Partial<LedgerCommit>) => makeCommit(store, id, { begins: true, ...parts });
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
