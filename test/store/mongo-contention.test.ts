import { MongoServerError } from 'mongodb';
import { afterEach, expect, test, vi } from 'vitest';
import type { MongoConnection } from '../../src/store/mongo/connection.ts';
import type { Sessions } from '../../src/store/mongo/sessions.ts';
import { transactions } from '../../src/store/mongo/transaction.ts';

afterEach(() => vi.restoreAllMocks());

function start() {
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  const session = {
    startTransaction: () => {},
    commitTransaction: async () => {},
    abortTransaction: async () => {},
    inTransaction: () => true,
  };
  const sessions = { take: async () => session, give: vi.fn(), discard: vi.fn() };
  const transact = transactions(sessions as unknown as Sessions, { usable: true } as MongoConnection);
  /** Runs a transaction on a document, which fails with a conflict `conflicts` times. */
  const run = async (document: string, conflicts = 0) => {
    let left = conflicts;
    await transact(async () => {
      if (left-- > 0) throw conflict();
    }, document);
  };
  /** Returns the documents in the order in which transactions on them begin, if those on `a` and on `b` are started in this order. */
  const order = async () => {
    const begun: string[] = [];
    await Promise.all(['a', 'b'].map((document) => transact(async () => void begun.push(document), document)));
    return begun;
  };
  const fail = (error: Error) => transact(() => Promise.reject(error), 'a');
  return { sessions, run, order, fail };
}

function conflict(): MongoServerError {
  const error = new MongoServerError({ message: 'WriteConflict', code: 112 });
  error.addErrorLabel('TransientTransactionError');
  return error;
}

test('after conflicts on a document the next transaction on it pauses too, so that no process takes it again at once', async () => {
  const { run, order } = start();
  expect(await order()).toEqual(['a', 'b']);
  await run('a', 5);
  expect(await order()).toEqual(['b', 'a']);
});

test('the pauses end some transactions after the last conflict', async () => {
  const { run, order } = start();
  await run('a', 5);
  for (let number = 0; number < 20; number++) await run('a');
  expect(await order()).toEqual(['a', 'b']);
});

test('the session of a transaction whose work failed is killed, because its abort may not have reached the server', async () => {
  const { fail, sessions } = start();
  await expect(fail(new Error('a bug'))).rejects.toThrow('a bug');
  expect(sessions.discard).toHaveBeenCalledTimes(1);
  expect(sessions.give).not.toHaveBeenCalled();
});

test('the session of a transaction that the server ended is used again', async () => {
  const { sessions, run, fail } = start();
  await run('a', 1);
  await expect(fail(new Error('known', { cause: conflict() }))).rejects.toThrow('known');
  expect(sessions.give).toHaveBeenCalledTimes(2);
  expect(sessions.discard).not.toHaveBeenCalled();
});
