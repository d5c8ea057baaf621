import { type ClientSession, type Db, MongoClient, MongoNetworkError, MongoServerError } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { ServerClock } from '../../src/store/mongo/clock.ts';
import type { Collections } from '../../src/store/mongo/collections.ts';
import { Sessions } from '../../src/store/mongo/sessions.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { useMongo } from '../support/use-mongo.ts';

const server = await useMongo();

interface Writer {
  _id: string;
  v: 1;
  sessions: unknown[];
  until: Date;
}

describe.skipIf(server.isMissing)('a transaction on an account in MongoDB', () => {
  let raw: MongoClient;
  let store: Store;
  let account: string;
  let session: ClientSession;

  beforeAll(async () => {
    raw = new MongoClient(server.url('sessions'));
    store = await openMongoStore({ url: server.url('sessions') });
    account = await new AccountAdmin(store, systemRuntime).createAccount('Test', 0);
  });
  afterAll(async () => {
    await store.close();
    await raw.close();
  });
  afterEach(() => session.endSession());

  const accounts = () => raw.db().collection<{ _id: string; turn: number }>('accounts');

  /** Begins a transaction that locks the account, like the transactions of a gateway. */
  async function lock(): Promise<void> {
    session = raw.startSession();
    session.startTransaction();
    await accounts().updateOne({ _id: account }, { $inc: { turn: 1 } }, { session });
  }

  /** Registers the session of the transaction like a process whose heartbeat ends at `until`. */
  async function heartbeat(until: number): Promise<void> {
    const set = { v: 1 as const, sessions: [session.id], until: new Date(until) };
    await raw.db().collection<Writer>('writers').updateOne({ _id: 'other' }, { $set: set }, { upsert: true });
  }

  const topUp = (id: string) =>
    store.ledger.topUp({ id, account, micros: 1, description: 'Credit', createdAt: Date.now() });

  test('of a dead process is aborted, so that others can charge the account', async () => {
    await lock();
    await heartbeat(Date.now() - 1_000);
    await expect(topUp('first')).resolves.toBe('applied');
    await expect(session.commitTransaction()).rejects.toThrow();
  });

  test('of a process with heartbeats is left alone, however long it takes', async () => {
    await lock();
    for (const until = Date.now() + 8_000; Date.now() < until; ) {
      await heartbeat(Date.now() + 5_000);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await session.commitTransaction();
    await expect(topUp('second')).resolves.toBe('applied');
  });
});

describe('a discarded session', () => {
  /** Sessions of a driver and a database that record what happens. `refusals` are the errors of the first `killSessions`. */
  function start(...refusals: Error[]) {
    const happened: string[] = [];
    let count = 0;
    const startSession = () => {
      const id = ++count;
      return { id, endSession: async () => void happened.push(`end ${id}`) };
    };
    const command = async ({ killSessions }: { killSessions: number[] }) => {
      happened.push(`kill ${killSessions}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      const refusal = refusals.shift();
      if (refusal) throw refusal;
    };
    const sessions = new Sessions(
      { startSession } as unknown as MongoClient,
      { command } as unknown as Db,
      { writers: { updateOne: async () => {}, deleteOne: async () => {} } } as unknown as Collections,
      { recent: async () => 0 } as unknown as ServerClock,
      systemRuntime,
    );
    onTestFinished(() => sessions.close());
    return { sessions, happened };
  }

  test('is killed once before the driver may use its id again, and before the next transaction', async () => {
    const { sessions, happened } = start();
    sessions.discard(await sessions.take());
    const next = await Promise.all([sessions.take(), sessions.take()]);
    expect(happened).toEqual(['kill 1', 'end 1']);
    expect(next.map(({ id }) => id)).toEqual([2, 3]);
  });

  test('is killed later if the server was unavailable', async () => {
    const { sessions, happened } = start(new MongoNetworkError('closed'));
    sessions.discard(await sessions.take());
    await expect(sessions.take()).rejects.toThrow('closed');
    await sessions.take();
    expect(happened).toEqual(['kill 1', 'kill 1', 'end 1']);
  });

  test('does not stop transactions on a server that refuses to kill sessions', async () => {
    const { sessions } = start(new MongoServerError({ message: 'not allowed', code: 13 }));
    sessions.discard(await sessions.take());
    await expect(sessions.take()).resolves.toMatchObject({ id: 2 });
  });
});
