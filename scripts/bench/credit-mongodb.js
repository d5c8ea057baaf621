import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../dist/store/mongo/store.js';
import { commitTtlMs } from '../../dist/store/port.js';
import { findServer, withDatabase } from './mongo-server.js';

const copied = ['payments', 'usage', 'ledger_commits'];
const collections = ['accounts', ...copied];

/** Opens the shared store in its own databases, which are dropped at the end. Returns `null` if there is no server. */
export async function mongodb() {
  const server = await findServer();
  if (!server) return null;
  const prefix = `postern_bench_${randomBytes(4).toString('hex')}`;
  // Keeps the types of numbers, because copies must not convert 64-bit integers to doubles.
  const client = new MongoClient(withDatabase(server.url, prefix), {
    promoteLongs: false,
    writeConcern: { w: 'majority', journal: true },
  });
  const made = [];
  return {
    name: 'mongodb',
    callers: server.callers,
    what: server.what,
    make: (name) => {
      made.push(`${prefix}_${name}`);
      return makeSubject(withDatabase(server.url, made.at(-1)), client.db(made.at(-1)));
    },
    bare: (load) => {
      if (!made.includes(`${prefix}_bare`)) made.push(`${prefix}_bare`);
      return bareMongo(client, client.db(`${prefix}_bare`), load);
    },
    close: async () => {
      try {
        for (const name of made) await client.db(name).dropDatabase();
      } finally {
        await client.close();
        await server.stop();
      }
    },
  };
}

async function makeSubject(url, db) {
  const store = await openMongoStore({ url });
  return {
    store,
    close: () => store.close(),
    async rows() {
      const counts = await Promise.all(collections.map((name) => db.collection(name).countDocuments()));
      return Object.fromEntries(collections.map((name, index) => [name, counts[index]]));
    },
    // The field of the time that has an index.
    forgetSince: (at) =>
      db.collection('ledger_commits').deleteMany({ expiresAt: { $gte: new Date(at + commitTtlMs) } }),
    fill: (copies, budgetMs) => fill(db, copies, budgetMs),
  };
}

/** Copies the existing data repeatedly as if it had happened earlier. The balances are correct after each copy. */
async function fill(db, copies, budgetMs) {
  const until = performance.now() + budgetMs;
  const first = {};
  for (const name of copied) first[name] = await db.collection(name).find().toArray();
  const spent = new Map();
  for (const { account, micros } of first.usage) {
    spent.set(account, micros.add(spent.get(account) ?? micros.constructor.ZERO));
  }
  const insert = async (name, documents) => {
    for (let from = 0; from < documents.length; from += 5_000) {
      await db.collection(name).insertMany(documents.slice(from, from + 5_000), { ordered: false });
    }
  };
  let done = 0;
  while (done < copies && performance.now() < until) {
    done++;
    const zero = first.usage[0].micros.constructor.ZERO;
    const paid = (one) => spent.get(one.account) ?? zero;
    await insert(
      'payments',
      first.payments.map((one) => ({ ...one, _id: `${one._id}-${done}`, micros: paid(one) })),
    );
    const back = (hour) => Number(hour) - 2 * done;
    await insert(
      'usage',
      first.usage.map((one) => ({ ...one, _id: { ...one._id, hour: back(one.hour) }, hour: back(one.hour) })),
    );
    const added = [...spent].map(([account, micros]) => ({
      updateOne: { filter: { _id: account }, update: { $inc: { paid: micros, charged: micros } } },
    }));
    await db.collection('accounts').bulkWrite(added, { ordered: false });
    await insert(
      'ledger_commits',
      first.ledger_commits.map((one) => {
        const at = new Date(one.at.getTime() - Math.random() * 3_000_000);
        return { ...one, _id: randomBytes(16).toString('hex'), at, expiresAt: new Date(at.getTime() + commitTtlMs) };
      }),
    );
  }
  return done;
}

/** Makes the simplest commit: a transaction with one update, one at a time for each account. */
async function bareMongo(client, db, { accounts, callers, durationMs }) {
  const collection = db.collection('accounts');
  const missing = accounts.map((_id) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: { avail: 0 } }, upsert: true },
  }));
  await collection.bulkWrite(missing, { ordered: false });
  const workers = Math.min(callers, accounts.length);
  let updates = 0;
  const startedAt = performance.now();
  const worker = async (_, number) => {
    const session = client.startSession();
    try {
      for (let turn = number; performance.now() - startedAt < durationMs; turn += workers) {
        await session.withTransaction(() =>
          collection.updateOne({ _id: accounts[turn % accounts.length] }, { $inc: { avail: -1 } }, { session }),
        );
        updates++;
      }
    } finally {
      await session.endSession();
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return updates / ((performance.now() - startedAt) / 1_000);
}
