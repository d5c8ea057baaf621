import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Ledger, type Reservation } from '../../src/billing/ledger.ts';
import type { Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type ManualRuntime, manualRuntime, settleTurns } from '../store/manual-runtime.ts';
import { type FaultyStore, faultyStore } from './ledger-faulty-store.ts';

const price = 1_000;
const charge = { action: 'user/info', micros: price };

let runtime: ManualRuntime;
let store: Store;
let faulty: FaultyStore;
let ledger: Ledger;
let processes: number;

beforeEach(async () => {
  processes = 1;
  runtime = manualRuntime();
  store = openSqliteStore({ path: ':memory:', runtime, durable: false });
  faulty = faultyStore(store.ledger);
  ledger = new Ledger({ store: faulty, runtime, processes: () => processes });
  await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
});
afterEach(() => store.close());

/** Gives the account credit for a number of calls and lets the ledger read it. */
async function credit(calls: number): Promise<void> {
  await store.ledger.topUp({
    id: 'p',
    account: 'a',
    micros: (calls + 1) * price,
    description: '',
    createdAt: 1,
  });
  await spend(ledger);
}
const spend = async (by: Ledger) => by.settle(await by.reserve('a', price), [charge]);
const defer = () => ledger.deferCharge('a', price);
function deferred(): Reservation {
  const reservation = defer();
  if (!reservation) throw new Error('a reservation is needed');
  return reservation;
}
const settle = () => ledger.settle(deferred(), [charge]);
const charged = async () => ((await store.ledger.balance('a'))?.charged ?? 0) / price - 1;

describe('a read that is charged after it ran', () => {
  test('takes one commit, holds nothing and sees the credit fall by its price', async () => {
    await credit(3);
    const { length } = faulty.attempts;
    const reservation = deferred();
    expect(await store.ledger.balance('a')).toMatchObject({ avail: 3 * price, held: 0 });
    expect(await ledger.settle(reservation, [charge])).toEqual({ charged: price, remaining: 2 * price });
    expect(faulty.attempts.length).toBe(length + 1);
    expect(await store.ledger.balance('a')).toMatchObject({ avail: 2 * price, held: 0 });
    expect(ledger.activeAccounts).toBe(0);
  });

  test('is counted as waiting until the store has confirmed it', async () => {
    await credit(1);
    faulty.fate = 'hang';
    const settled = settle();
    await settleTurns();
    expect(ledger.chargesWaiting).toBe(1);
    faulty.letGo();
    await settled;
    expect(ledger.chargesWaiting).toBe(0);
  });

  test('that fails costs nothing and makes room for another', async () => {
    await credit(1);
    const reservation = deferred();
    expect(defer()).toBeNull();
    const { length } = faulty.attempts;
    expect(await ledger.settle(reservation, [])).toBeNull();
    expect(faulty.attempts.length).toBe(length);
    expect(await settle()).toEqual({ charged: price, remaining: 0 });
    expect(defer()).toBeNull();
  });

  test('is refused with 402 and not charged if another process has spent the credit meanwhile', async () => {
    await credit(1);
    const reservation = deferred();
    await spend(new Ledger({ store: store.ledger, runtime }));
    await expect(ledger.settle(reservation, [charge])).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect(await charged()).toBe(1);
    expect(defer()).toBeNull();
  });

  test('is refused with 402 if a reservation of this process has taken the credit meanwhile', async () => {
    await credit(1);
    const reservation = deferred();
    const write = await ledger.reserve('a', price);
    await expect(ledger.settle(reservation, [charge])).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect(await ledger.settle(write, [charge])).toEqual({ charged: price, remaining: 0 });
  });

  test('shares a commit with others, and each sees another remainder', async () => {
    await credit(40);
    const { length } = faulty.attempts;
    const settled = await Promise.all(Array.from({ length: 40 }, settle));
    expect(new Set(settled.map((one) => one?.remaining)).size).toBe(40);
    expect(faulty.attempts.length).toBeLessThan(length + 4);
    expect(await charged()).toBe(40);
  });
});

describe('reads need a reservation', () => {
  test('if the credit is not known', async () => {
    expect(defer()).toBeNull();
    await store.ledger.topUp({ id: 'p', account: 'a', micros: 9_000, description: '', createdAt: 1 });
    expect(defer()).toBeNull();
    await spend(ledger);
    expect(defer()).not.toBeNull();
  });

  test('beyond the last known credit', async () => {
    await credit(3);
    expect([defer(), defer(), defer(), defer()].map((one) => one !== null)).toEqual([true, true, true, false]);
  });

  test('beyond the last known credit without the credit that a key with a budget holds', async () => {
    await credit(4);
    await ledger.reserve('a', 2 * price, { key: 'k', microsPerDay: 10 * price });
    await settle();
    expect([defer(), defer()]).toEqual([expect.anything(), null]);
  });

  test('beyond the share of this process in the last known credit', async () => {
    await credit(5);
    processes = 2;
    expect([defer(), defer(), defer()].map((one) => one !== null)).toEqual([true, true, false]);
  });

  test('if calls that wait for credit would take it', async () => {
    await credit(3);
    const waiting = ledger.reserve('a', 2 * price);
    await Promise.resolve();
    expect(defer()).not.toBeNull();
    expect(defer()).toBeNull();
    await ledger.settle(await waiting, []);
  });

  test('after a commit has failed, until one succeeds', async () => {
    await credit(5);
    faulty.fate = 'lost';
    const reserving = ledger.reserve('a', price);
    await settleTurns();
    expect(defer()).toBeNull();
    faulty.fate = 'ok';
    await runtime.advance(100);
    await ledger.settle(await reserving, []);
    expect(defer()).not.toBeNull();
  });

  test('once the ledger closes', async () => {
    await credit(5);
    await ledger.close();
    expect(defer()).toBeNull();
  });
});

describe('while the store is away', () => {
  const outcomeOf = (settling: Promise<unknown>) => settling.catch((error) => error.reason as string);

  test('a charge that was sent may have been made: 503, and it is made once', async () => {
    await credit(5);
    faulty.fate = 'deaf';
    const settling = outcomeOf(settle());
    await runtime.advance(6_000);
    expect(await settling).toBe('charge_unrecorded');
    faulty.fate = 'ok';
    await runtime.advance(2_000);
    expect(await charged()).toBe(1);
  });

  test('a charge that did not reach the store, or was not sent, is not made: 503', async () => {
    await credit(5);
    const late = deferred();
    faulty.fate = 'lost';
    const sent = outcomeOf(settle());
    await settleTurns();
    const waiting = outcomeOf(ledger.settle(late, [charge]));
    await runtime.advance(6_000);
    expect(await sent).toBe('charge_unrecorded');
    expect(await waiting).toBe('store_away');
    faulty.fate = 'ok';
    await runtime.advance(2_000);
    expect(await charged()).toBe(0);
    expect(ledger.activeAccounts).toBe(0);
  });

  test('a charge behind a store that hangs is not made: 503', async () => {
    await credit(5);
    const late = deferred();
    faulty.fate = 'hang';
    const sent = outcomeOf(settle());
    await settleTurns();
    const waiting = outcomeOf(ledger.settle(late, [charge]));
    await runtime.advance(6_000);
    expect([await sent, await waiting]).toEqual(['charge_unrecorded', 'store_away']);
    expect(defer()).toBeNull();
    faulty.fate = 'ok';
    faulty.letGo();
    await runtime.advance(2_000);
    expect(await charged()).toBe(1);
  });
});
