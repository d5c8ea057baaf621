import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreparedCall } from '../../src/actions/pipeline/action-pipeline.ts';
import { payFor } from '../../src/actions/pipeline/paid-request.ts';
import { userInfo } from '../../src/actions/user/profiles.ts';
import { CallRecorder } from '../../src/billing/call-recorder.ts';
import { Idempotency } from '../../src/billing/idempotency.ts';
import { Ledger } from '../../src/billing/ledger.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import type { Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type FaultyStore, faultyStore } from '../billing/ledger-faulty-store.ts';
import { manualRuntime, settleTurns } from '../store/manual-runtime.ts';

const { price } = userInfo;
const account = 'a';
const runtime = manualRuntime();

let store: Store;
let faulty: FaultyStore;
let ledger: Ledger;
let recorder: CallRecorder;
let idempotency: Idempotency;

beforeEach(async () => {
  store = openSqliteStore({ path: ':memory:', runtime, durable: false });
  faulty = faultyStore(store.ledger);
  ledger = new Ledger({ store: faulty, runtime });
  recorder = new CallRecorder({ store: store.statistics, storeNow: runtime.now, onError: () => {} });
  const secretKeys = [new Secret(Buffer.alloc(32))];
  const vault = new Vault(secretKeys, runtime);
  const options = { store: store.idempotency, secretKeys, vault, runtime, repeatable: true, onError: () => {} };
  idempotency = new Idempotency(options);
  await store.accounts.create({ id: account, name: 'Ada', createdAt: 1 });
  await store.ledger.topUp({ id: 'p', account, micros: 10 * price, description: '', createdAt: 1 });
  // The ledger must know the credit, otherwise a read is reserved first.
  await read(() => {});
});
afterEach(() => store.close());

/** Performs a read, and calls `whileCharging` with its output. */
function read(whileCharging: (output: unknown) => void) {
  const run = async () => 'the output';
  const call: PreparedCall = { action: userInfo, unchecked: 0, check: async () => {}, run };
  const payment = { account, budget: null, idempotency: null, call, bodyOf: String, errorBodyOf: String };
  const parts = { ledger, recorder, idempotency, runtime };
  return payFor(parts, { ...payment, outcomeOf: (output) => output, whileCharging });
}

describe('the work beside the charge of a read', () => {
  test('runs when the store has the charge but has not answered', async () => {
    faulty.fate = 'hang';
    const { length } = faulty.attempts;
    const done: unknown[] = [];
    const paid = read((output) => done.push(output, faulty.attempts.length - length));
    await settleTurns();
    expect(done).toEqual(['the output', 1]);
    faulty.letGo();
    expect(await paid).toMatchObject({ outcome: 'the output', settled: { charged: price, remaining: 8 * price } });
  });

  test('fails the read after the charge if it throws', async () => {
    const paid = read(() => {
      throw new Error('the output cannot be encoded');
    });
    await expect(paid).rejects.toThrow('the output cannot be encoded');
    expect(await store.ledger.balance(account)).toMatchObject({ avail: 8 * price, held: 0 });
    expect(ledger.chargesWaiting).toBe(0);
  });

  test('does not hide that the charge was refused', async () => {
    faulty.fate = 'hang';
    const paid = read(() => {
      throw new Error('the output cannot be encoded');
    });
    await settleTurns();
    // Another process spends the credit before the charge reaches the store.
    const other = new Ledger({ store: store.ledger, runtime });
    await other.settle(await other.reserve(account, 9 * price), [{ action: userInfo.name, micros: 9 * price }]);
    faulty.letGo();
    await expect(paid).rejects.toMatchObject({ code: 'insufficient_credits' });
  });
});
