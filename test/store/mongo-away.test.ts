import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import { type LedgerCommit, type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';
import { patientMs } from '../support/processor-time.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';
import { commitUntilKnown } from './commit-until-known.ts';
import { makeCommit } from './webhook-makers.ts';

/** Less than the 30 s for which the driver looks for a server by itself. */
const moments = 15_000;
/** Less than a look at the server takes: the store knows that it is away. */
const atOnce = 4_000;

const server = await useMongo({ own: true, durable: true });

describe.skipIf(server.isMissing)('while MongoDB is unavailable', () => {
  let store: Store;
  let url: string;
  beforeEach(async () => {
    url = server.url(`away-${randomBytes(4).toString('hex')}`);
    store = await openMongoStore({ url });
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 1_000_000, description: 'd', createdAt: 1 });
  });
  afterEach(async () => {
    server.resume();
    await store.close();
  });

  const commit = (id: string, parts: Partial<LedgerCommit> = {}) =>
    makeCommit(store, id, { begins: true, reserve: [1], ...parts });

  const verbs = (): (readonly [name: string, work: () => Promise<unknown>])[] => [
    ['accounts.find', () => store.accounts.find('a')],
    ['accounts.list', () => store.accounts.list()],
    ['accounts.create', () => store.accounts.create({ id: 'b', name: 'b', createdAt: 1 })],
    ['keys.findByHash', () => store.keys.findByHash('h')],
    ['keys.touch', () => store.keys.touch([{ id: 'k', at: 1 }])],
    ['ledger.commit', () => store.ledger.commit(commit(`away-${Math.random()}`))],
    ['ledger.topUp', () => store.ledger.topUp({ id: 'q', account: 'c', micros: 1, description: '', createdAt: 1 })],
    ['ledger.sweep', () => store.ledger.sweep()],
    ['ledger.balance', () => store.ledger.balance('a')],
    ['idempotency.claim', () => store.idempotency.claim({ account: 'a', key: 'k', owner: 'o', fingerprints: ['f'] })],
    ['processes.beat', () => store.processes.beat('p')],
    ['ready', () => store.ready()],
    ['inspect', () => store.inspect()],
  ];

  /** Returns the longest time in milliseconds that a method took to report that the store is unavailable. */
  const slowestRefusal = async (): Promise<number> => {
    const times = verbs().map(async ([name, work]) => {
      return patientMs(() => expect(work(), name).rejects.toBeInstanceOf(StoreUnavailableError));
    });
    return Math.max(...(await Promise.all(times)));
  };

  const msUntilReady = () => patientMs(() => until(() => store.ready()));

  test('killed: every method fails quickly, then at once, and succeeds when MongoDB is available again', async () => {
    await server.kill();
    expect(await slowestRefusal()).toBeLessThan(moments);
    expect(await slowestRefusal()).toBeLessThan(atOnce);
    await sleep(3_000);
    expect(await slowestRefusal()).toBeLessThan(atOnce);
    await server.restart();
    expect(await msUntilReady()).toBeLessThan(moments);
    expect((await store.ledger.balance('a'))?.paid).toBe(1_000_000);
    expect(await store.ledger.commit(commit('back'))).toMatchObject({ status: 'applied', granted: [true] });
  });

  test('paused: every method fails quickly, then at once, and succeeds when MongoDB continues', async () => {
    server.pause();
    expect(await slowestRefusal()).toBeLessThan(moments);
    expect(await slowestRefusal()).toBeLessThan(atOnce);
    server.resume();
    expect(await msUntilReady()).toBeLessThan(moments);
    expect(Math.abs(store.now() - Date.now())).toBeLessThan(2_000);
    expect(await store.ledger.commit(commit('back'))).toMatchObject({ status: 'applied', granted: [true] });
  });

  test('a pause of a second is waited for', async () => {
    server.pause();
    const outcome = store.ledger.commit(commit('patient'));
    await sleep(1_000);
    server.resume();
    expect(await outcome).toMatchObject({ status: 'applied' });
  });

  test('closing is quick', async () => {
    server.pause();
    const waiting = store.ledger.commit(commit('never')).catch((error: unknown) => error);
    expect(await patientMs(() => store.close())).toBeLessThan(2 * moments);
    expect(await waiting).toBeInstanceOf(StoreUnavailableError);
  });

  test('a commit whose acknowledgement is lost returns its first outcome when it is repeated', async () => {
    const proxy = await lossyProxy(server.port);
    const far = await openMongoStore({
      url: `${url.replace(String(server.port), String(proxy.port))}?directConnection=true`,
    });
    for (const id of ['b', 'c', 'd']) {
      await store.accounts.create({ id, name: id, createdAt: 1 });
      await store.ledger.topUp({ id: `p-${id}`, account: id, micros: 100, description: '', createdAt: 1 });
    }
    const charge = { usage: [{ hour: 1, action: 'x', calls: 1, micros: 4 }] };
    await far.ledger.commit(commit('hold', { account: 'c', reserve: [10] }));
    const commits = [
      commit('begins', { account: 'b', reserve: [10] }),
      commit('ends', { account: 'c', writer: 'hold', begins: false, reserve: [], settle: [charge], release: 6 }),
      commit('neither', { account: 'd', reserve: [], late: [charge] }),
    ];
    proxy.losing = true;
    const lost = await Promise.allSettled(commits.map((one) => far.ledger.commit(one)));
    for (const one of lost) expect(one).toMatchObject({ reason: { name: 'StoreUnavailableError' } });
    expect(proxy.lost).toBeGreaterThan(2);
    proxy.losing = false;
    await sleep(2_000);
    const outcomes = await Promise.all(commits.map((one) => far.ledger.commit(one)));
    expect(outcomes).toMatchObject([
      { status: 'applied', granted: [true], left: 100 },
      { status: 'applied', settled: ['charged'], left: 96 },
      { status: 'applied', late: ['charged'], left: 96 },
    ]);
    expect(await store.ledger.balance('b')).toEqual({ paid: 100, charged: 0, avail: 90, held: 10 });
    expect(await store.ledger.balance('c')).toEqual({ paid: 100, charged: 4, avail: 96, held: 0 });
    expect(await store.ledger.balance('d')).toEqual({ paid: 100, charged: 4, avail: 96, held: 0 });
    await far.close();
  });

  test('killed during commits: each commit is repeated until its outcome is known, and applied exactly once', async () => {
    const other = await openMongoStore({ url });
    let stopped = false;
    let done = 0;
    const lane = async (each: Store, name: string) => {
      let charged = 0;
      for (let index = 0; index < 40 || !stopped; index++) {
        const id = `${name}-${index}`;
        const opened = await commitUntilKnown(each, commit(`${id}-r`, { writer: id, reserve: [3] }));
        expect(opened).toMatchObject({ status: 'applied', granted: [true] });
        const usage = [{ hour: 1, action: name, calls: 1, micros: 2 }];
        const settle = [{ usage, answer: { key: id, answer: id } }];
        const end = commit(`${id}-s`, { writer: id, begins: false, reserve: [], settle, release: 1 });
        expect(await commitUntilKnown(each, end)).toMatchObject({ status: 'applied', settled: ['charged'] });
        charged += 2;
        done++;
      }
      return charged;
    };
    const lanes = [lane(store, 'x'), lane(store, 'y'), lane(other, 'z')];
    for (let kills = 0; kills < 4; kills++) {
      const before = done;
      while (done < before + 5) await sleep(20);
      await sleep(Math.random() * 200);
      await server.restart();
    }
    stopped = true;
    const charged = (await Promise.all(lanes)).reduce((total, micros) => total + micros, 0);
    const avail = 1_000_000 - charged;
    expect(await store.ledger.balance('a')).toEqual({ paid: 1_000_000, charged, avail, held: 0 });
    const lines = await store.ledger.usage('a', 0, 10);
    expect(lines.reduce((total, { micros }) => total + micros, 0)).toBe(charged);
    await other.close();
  });
});

/** While `losing` is true, the response to every end of a transaction is discarded and its connection is closed. */
async function lossyProxy(target: number) {
  const sockets = new Set<Socket>();
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
  });
  const proxy = { port: 0, losing: false, lost: 0 };
  const listener = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    let mute = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => {
      if (proxy.losing && chunk.includes('commitTransaction')) mute = true;
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (!mute) return void near.write(chunk);
      proxy.lost++;
      near.destroy();
    });
  });
  proxy.port = await listen(listener);
  return proxy;
}
