import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommitInfo, Ledger, type Reservation } from '../../src/billing/ledger.ts';
import { Sweeper } from '../../src/billing/sweeper.ts';
import { holdTtlMs, type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { answerOf } from '../store/conformance-idempotency.ts';
import { type ManualRuntime, manualRuntime, settleTurns } from '../store/manual-runtime.ts';
import { type FaultyStore, faultyStore } from './ledger-faulty-store.ts';

const price = 1_000;
const charge = { action: 'tweet/create', micros: price };

let runtime: ManualRuntime;
let store: Store;
let faulty: FaultyStore;
let heard: CommitInfo[];
let ledger: Ledger;

beforeEach(async () => {
  runtime = manualRuntime();
  store = openSqliteStore({ path: ':memory:', runtime, durable: false });
  faulty = faultyStore(store.ledger);
  heard = [];
  ledger = new Ledger({ store: faulty, runtime, onCommit: (info) => heard.push(info) });
  await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
});
afterEach(() => store.close());

let payments = 0;
const credit = (calls: number, account = 'a') =>
  store.ledger.topUp({ id: `p${++payments}`, account, micros: calls * price, description: '', createdAt: 1 });
const balance = async (account = 'a') => {
  const found = await store.ledger.balance(account);
  if (!found) throw new Error(`no account ${account}`);
  expect(found.paid).toBe(found.avail + found.held + found.charged);
  return found;
};
const call = async (from = ledger, account = 'a') => from.settle(await from.reserve(account, price), [charge]);
/** Records the result of a promise without waiting for it. */
const watch = (promise: Promise<unknown>) => {
  const seen: { value?: unknown; error?: { code?: string; message: string } } = {};
  promise.then(
    (value) => Object.assign(seen, { value }),
    (error) => Object.assign(seen, { error }),
  );
  return seen;
};

describe('calls and their price', () => {
  test('40 parallel calls cost 0.040 and show 40 different remainders', async () => {
    await credit(100);
    const settled = await Promise.all(Array.from({ length: 40 }, () => call()));
    expect(settled.map((one) => one?.charged)).toEqual(Array(40).fill(price));
    expect(new Set(settled.map((one) => one?.remaining)).size).toBe(40);
    expect(Math.min(...settled.map((one) => one?.remaining ?? 0))).toBe(60 * price);
    expect(await balance()).toEqual({ paid: 100_000, charged: 40_000, avail: 60_000, held: 0 });
    expect(heard.length).toBeLessThan(10);
  });

  test('sequential calls see the credit fall by their price', async () => {
    await credit(5);
    const seen: unknown[] = [];
    for (let i = 0; i < 5; i++) seen.push((await call())?.remaining);
    expect(seen).toEqual([4_000, 3_000, 2_000, 1_000, 0]);
  });

  test('with credit for k calls, exactly k of many parallel calls succeed and the others are refused with 402', async () => {
    await credit(13);
    const other = new Ledger({ store: store.ledger, runtime });
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => call(i % 2 ? ledger : other)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(13);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'insufficient_credits', status: 402 });
        expect(result.reason.message).toContain('0.001 dollars');
      }
    }
    expect(await balance()).toEqual({ paid: 13_000, charged: 13_000, avail: 0, held: 0 });
  });

  test('a failed call costs nothing, and its settlement does not wait for the store', async () => {
    await credit(1);
    const reservation = await ledger.reserve('a', price);
    expect(await balance()).toMatchObject({ avail: 0, held: price });
    faulty.fate = 'lost';
    expect(await ledger.settle(reservation, [])).toBeNull();
    faulty.fate = 'ok';
    await runtime.advance(100);
    expect(await balance()).toEqual({ paid: price, charged: 0, avail: price, held: 0 });
    expect(await store.ledger.usage('a', 0, 1e9)).toEqual([]);
  });

  test('released credit is in the store when `returned` resolves', async () => {
    await credit(3);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => ledger.reserve('a', price)));
    await ledger.settle(one as Reservation, []);
    await ledger.returned('a');
    expect(await balance()).toMatchObject({ avail: price, held: 2 * price });
    await ledger.settle(two as Reservation, []);
    await settleTurns();
    await ledger.settle(three as Reservation, []);
    await ledger.returned('a');
    expect(await balance()).toMatchObject({ avail: 3 * price, held: 0 });
    await ledger.returned('a');
    await ledger.returned('nobody');
  });

  test('charges the successful calls of a reservation and releases the rest', async () => {
    await credit(10);
    const reservation = await ledger.reserve('a', 5 * price);
    const settled = await ledger.settle(reservation, [charge, charge, { action: 'user/info', micros: 500 }], {
      key: 'k',
      answer: 'kept',
    });
    expect(settled).toEqual({ charged: 2_500, remaining: 7_500 });
    expect(await balance()).toEqual({ paid: 10_000, charged: 2_500, avail: 7_500, held: 0 });
    const hour = Math.floor(runtime.now() / 3_600_000);
    expect(await store.ledger.usage('a', 0, 1e9)).toMatchObject([
      { hour, action: 'tweet/create', calls: 2, micros: 2_000 },
      { hour, action: 'user/info', calls: 1, micros: 500 },
    ]);
    expect(await answerOf(store, 'a', 'k')).toBe('kept');
  });

  test('a free call needs no credit and no store', async () => {
    const reservation = await ledger.reserve('a', 0);
    expect(await ledger.settle(reservation, [{ action: 'account', micros: 0 }])).toBeNull();
    expect(faulty.attempts).toEqual([]);
  });

  test('an account that does not exist is not served', async () => {
    await expect(call(ledger, 'nobody')).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(ledger.activeAccounts).toBe(0);
  });

  test('refuses to charge more than was reserved or to settle twice, and charges nothing then', async () => {
    await credit(5);
    const reservation = await ledger.reserve('a', price);
    await expect(ledger.settle(reservation, [charge, charge])).rejects.toThrow(RangeError);
    await expect(ledger.settle(reservation, [charge])).rejects.toThrow('already settled');
    await expect(ledger.reserve('a', 0.5)).rejects.toThrow(RangeError);
    await settleTurns();
    expect(await balance()).toEqual({ paid: 5_000, charged: 0, avail: 5_000, held: 0 });
  });

  test('removes accounts without activity and their timers', async () => {
    await credit(10);
    const reservation = await ledger.reserve('a', price);
    expect([ledger.activeAccounts, ledger.heldHere()]).toEqual([1, price]);
    await ledger.settle(reservation, [charge]);
    expect([ledger.activeAccounts, ledger.heldHere(), runtime.pending]).toEqual([0, 0, 0]);
  });
});

describe('group commit', () => {
  test('sends one commit at a time for each account; calls that arrive during a commit share the next one', async () => {
    await credit(100);
    faulty.fate = 'hang';
    const first = call();
    await settleTurns();
    const others = Array.from({ length: 9 }, () => call());
    await settleTurns();
    expect(faulty.attempts).toHaveLength(1);
    faulty.fate = 'ok';
    faulty.letGo();
    await Promise.all([first, ...others]);
    expect(faulty.attempts[1]?.reserve).toHaveLength(9);
    expect(faulty.attempts.map((commit) => commit.begins)).toEqual([
      true,
      ...faulty.attempts.slice(1).map(() => false),
    ]);
  });

  test('sends the first call of a quiet account at once, and those of the same turn after it together', async () => {
    await credit(10);
    const calls = Array.from({ length: 4 }, () => ledger.reserve('a', price));
    expect(faulty.attempts).toHaveLength(1);
    await Promise.all(calls);
    expect(faulty.attempts.map(({ reserve }) => reserve.length)).toEqual([1, 3]);
  });

  test('sends the calls of one turn together after a commit for several calls, also if the account rested in between', async () => {
    await credit(100);
    const calls = () => Promise.all(Array.from({ length: 4 }, () => call()));
    await calls();
    await settleTurns(20);
    expect(ledger.activeAccounts).toBe(0);
    const before = faulty.attempts.length;
    await calls();
    expect(faulty.attempts.slice(before).map(({ reserve }) => reserve.length)).toEqual([4, 0]);
  });

  test('accounts do not wait for each other', async () => {
    await credit(1);
    await store.accounts.create({ id: 'b', name: 'Bea', createdAt: 1 });
    await credit(1, 'b');
    faulty.fate = (commit) => (commit.account === 'a' ? 'hang' : 'ok');
    const slow = watch(call());
    expect(await call(ledger, 'b')).toEqual({ charged: price, remaining: 0 });
    expect(slow).toEqual({});
    faulty.fate = 'ok';
    faulty.letGo();
    await settleTurns(20);
    expect(slow.value).toEqual({ charged: price, remaining: 0 });
  });
});

describe('an unavailable store', () => {
  test.each(['lost', 'deaf'] as const)(
    'sends a commit again, the same, until its outcome is known (%s)',
    async (fate) => {
      await credit(3);
      const reservation = await ledger.reserve('a', price);
      faulty.fate = fate;
      const settling = watch(ledger.settle(reservation, [charge]));
      await runtime.advance(1_000);
      faulty.fate = 'ok';
      await runtime.advance(1_000);
      expect(settling.value).toEqual({ charged: price, remaining: 2_000 });
      const [, ...sent] = faulty.attempts;
      expect(sent.length).toBeGreaterThan(3);
      for (const attempt of sent) expect(attempt).toEqual(sent[0]);
      expect(await balance()).toEqual({ paid: 3_000, charged: price, avail: 2_000, held: 0 });
      expect(heard.some(({ outcome, error }) => outcome === 'failed' && error instanceof StoreUnavailableError)).toBe(
        true,
      );
    },
  );

  test('the pause between attempts grows to one second at most', async () => {
    await credit(1);
    faulty.fate = 'lost';
    watch(call());
    await runtime.advance(10_000);
    const { length } = faulty.attempts;
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(16);
  });

  test('a reservation is refused with 503 after one second of failures, and credit that is granted later is released', async () => {
    await credit(3);
    faulty.fate = 'deaf';
    const reserving = watch(ledger.reserve('a', price));
    await runtime.advance(999);
    expect(reserving).toEqual({});
    await runtime.advance(1_000);
    expect(reserving.error).toMatchObject({ code: 'unavailable', status: 503 });
    expect(reserving.error?.message).toContain('Nothing was charged');
    expect((await balance()).held).toBe(price);
    faulty.fate = 'ok';
    await runtime.advance(1_100);
    expect(await balance()).toEqual({ paid: 3_000, charged: 0, avail: 3_000, held: 0 });
    expect(ledger.activeAccounts).toBe(0);
  });

  test('new reservations are refused at once if the last attempt failed', async () => {
    await credit(3);
    faulty.fate = 'lost';
    const first = watch(ledger.reserve('a', price));
    await settleTurns();
    await expect(ledger.reserve('a', price)).rejects.toMatchObject({ code: 'unavailable' });
    faulty.fate = 'ok';
    await runtime.advance(100);
    expect(first.value).toBeDefined();
    expect(await ledger.reserve('a', price)).toBeDefined();
  });

  test.each([
    ['hangs', 'hang', 4_900],
    ['fails', 'lost', 900],
  ] as const)('`returned` gives up if the store %s, and the credit is released later', async (_, fate, waitMs) => {
    await credit(1);
    const reservation = await ledger.reserve('a', price);
    faulty.fate = fate;
    await ledger.settle(reservation, []);
    let hasGivenUp = false;
    const returning = ledger.returned('a').then(() => {
      hasGivenUp = true;
    });
    await runtime.advance(waitMs);
    expect(hasGivenUp).toBe(false);
    await runtime.advance(1_100);
    await returning;
    expect(await balance()).toMatchObject({ avail: 0, held: price });
    faulty.fate = 'ok';
    faulty.letGo();
    await runtime.advance(2_000);
    expect(await balance()).toMatchObject({ avail: price, held: 0 });
    expect(ledger.activeAccounts).toBe(0);
  });

  test('a store that hangs is treated as unavailable', async () => {
    await credit(3);
    faulty.fate = 'hang';
    const first = watch(ledger.reserve('a', price));
    await runtime.advance(3_000);
    const second = watch(ledger.reserve('a', price));
    await runtime.advance(2_000);
    expect(first.error?.code).toBe('unavailable');
    expect(second).toEqual({});
    await expect(ledger.reserve('a', price)).rejects.toMatchObject({ code: 'unavailable' });
    await runtime.advance(3_000);
    expect(second.error?.code).toBe('unavailable');
    faulty.fate = 'ok';
    faulty.letGo();
    await runtime.advance(100);
    expect(await balance()).toMatchObject({ avail: 3_000, held: 0 });
    expect(await call()).toEqual({ charged: price, remaining: 2_000 });
  });

  test('a settlement fails with 503 after 5 s, and its charge is made once, later', async () => {
    await credit(3);
    const reservation = await ledger.reserve('a', price);
    faulty.fate = 'lost';
    const settling = watch(ledger.settle(reservation, [charge]));
    await runtime.advance(5_000);
    expect(settling.error).toMatchObject({ code: 'unavailable' });
    expect(settling.error?.message).toContain('performed');
    expect((await balance()).charged).toBe(0);
    faulty.fate = 'deaf';
    await runtime.advance(2_000);
    faulty.fate = 'ok';
    await runtime.advance(2_000);
    expect(await balance()).toEqual({ paid: 3_000, charged: price, avail: 2_000, held: 0 });
  });

  test('a commit whose outcome stays unknown for too long is abandoned, so that it is not charged twice', async () => {
    await credit(3);
    const reservation = await ledger.reserve('a', price);
    faulty.fate = 'deaf';
    const settling = watch(ledger.settle(reservation, [charge]));
    await runtime.advance(6_000);
    expect(settling.error?.code).toBe('unavailable');
    runtime.leap(3_700_000);
    await store.ledger.sweep();
    faulty.fate = 'ok';
    await runtime.advance(10_000);
    expect(heard.at(-1)?.outcome).toBe('abandoned');
    expect(await balance()).toEqual({ paid: 3_000, charged: price, avail: 2_000, held: 0 });
    expect(await call()).toEqual({ charged: price, remaining: 1_000 });
  });

  test('timeouts work if the clock is set back', async () => {
    await credit(3);
    faulty.fate = 'lost';
    const reserving = watch(ledger.reserve('a', price));
    runtime.leap(-3_600_000);
    await runtime.advance(10_000);
    expect(reserving.error?.code).toBe('unavailable');
  });
});

describe('holds', () => {
  test('of a long call are renewed, and end with the call', async () => {
    await credit(3);
    const sweeper = new Sweeper({ store: store.ledger, runtime });
    sweeper.start();
    const reservation = await ledger.reserve('a', price);
    await runtime.advance(150_000);
    expect((await balance()).held).toBe(price);
    expect(await ledger.settle(reservation, [charge])).toEqual({ charged: price, remaining: 2_000 });
    expect(heard.every(({ outcome }) => outcome === 'applied')).toBe(true);
    await sweeper.stop();
    expect(runtime.pending).toBe(0);
  });

  const sleepThroughSweep = async () => {
    runtime.leap(holdTtlMs);
    expect(await store.ledger.sweep()).toBe(1);
  };

  test('that were swept: their successful calls are charged late', async () => {
    await credit(3);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => ledger.reserve('a', price)));
    await sleepThroughSweep();
    expect(await settle(one)).toEqual({ charged: price, remaining: 2_000 });
    expect(heard.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'swept', 'applied']);
    expect(await settle(two)).toEqual({ charged: price, remaining: 1_000 });
    expect(await settle(three, [])).toBeNull();
    await settleTurns();
    expect(await balance()).toEqual({ paid: 3_000, charged: 2_000, avail: price, held: 0 });
  });

  test('that were swept: a late charge fails with 503 if the credit was spent in the meantime', async () => {
    await credit(2);
    const reservations = await Promise.all([1, 2].map(() => ledger.reserve('a', price)));
    await sleepThroughSweep();
    const other = new Ledger({ store: store.ledger, runtime });
    await call(other);
    const results = await Promise.allSettled(reservations.map((one) => settle(one)));
    expect(results[0]).toEqual({ status: 'fulfilled', value: { charged: price, remaining: 0 } });
    expect(results[1]).toMatchObject({ reason: { code: 'unavailable', message: /spent meanwhile/ } });
    expect(await balance()).toEqual({ paid: 2_000, charged: 2_000, avail: 0, held: 0 });
  });

  test('that were swept: `returned` does not wait for their releases', async () => {
    await credit(1);
    const reservation = await ledger.reserve('a', price);
    await sleepThroughSweep();
    await ledger.settle(reservation, []);
    await ledger.returned('a');
    expect(await balance()).toMatchObject({ avail: price, held: 0 });
  });

  test('that were swept: reservations of the same commit are repeated, and its releases are dropped', async () => {
    await credit(3);
    const [kept, failed] = await Promise.all([1, 2].map(() => ledger.reserve('a', price)));
    await sleepThroughSweep();
    const [settled, , fresh] = await Promise.all([settle(kept), settle(failed, []), ledger.reserve('a', 2 * price)]);
    expect(settled).toEqual({ charged: price, remaining: 2_000 });
    expect(await balance()).toEqual({ paid: 3_000, charged: price, avail: 0, held: 2_000 });
    expect(await ledger.settle(fresh, [charge])).toEqual({ charged: price, remaining: price });
    expect(await balance()).toMatchObject({ avail: price, held: 0 });
  });

  test('that were swept between two commits: the renewal detects it', async () => {
    await credit(3);
    const reservation = await ledger.reserve('a', price);
    await sleepThroughSweep();
    await runtime.advance(5_000);
    expect(heard.at(-1)?.outcome).toBe('swept');
    expect([ledger.activeAccounts, ledger.heldHere()]).toEqual([0, 0]);
    expect(await settle(reservation)).toEqual({ charged: price, remaining: 2_000 });
  });

  test('that were swept: closing releases only later reservations', async () => {
    await credit(5);
    const old = await ledger.reserve('a', 3 * price);
    await sleepThroughSweep();
    await ledger.reserve('a', price);
    await ledger.settle(old, []);
    await ledger.close();
    expect(heard.map(({ outcome }) => outcome)).toEqual(['applied', 'swept', 'applied', 'applied']);
    expect(await balance()).toEqual({ paid: 5_000, charged: 0, avail: 5_000, held: 0 });
  });

  test('that were swept before another reservation: each reservation is released once', async () => {
    await credit(5);
    const old = await ledger.reserve('a', 2 * price);
    await sleepThroughSweep();
    const fresh = await ledger.reserve('a', price);
    expect(await settle(old, [])).toBeNull();
    await settleTurns();
    expect(await balance()).toMatchObject({ avail: 4_000, held: price });
    expect(await settle(fresh)).toEqual({ charged: price, remaining: 4_000 });
  });

  const settle = (reservation: Reservation | undefined, charges = [charge]) => {
    if (!reservation) throw new Error('no reservation');
    return ledger.settle(reservation, charges);
  };
});

describe('closing', () => {
  test('records settlements, releases open reservations and refuses new calls', async () => {
    await credit(9);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => ledger.reserve('a', price)));
    if (!one || !two || !three) throw new Error('no reservation');
    const settling = ledger.settle(one, [charge]);
    void ledger.settle(two, []);
    const late = watch(ledger.reserve('a', price));
    await ledger.close();
    expect(await settling).toEqual({ charged: price, remaining: 8_000 });
    expect(late.error?.code).toBe('unavailable');
    expect(await balance()).toEqual({ paid: 9_000, charged: price, avail: 8_000, held: 0 });
    await expect(ledger.reserve('a', price)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(ledger.settle(three, [charge])).rejects.toMatchObject({ code: 'unavailable' });
    expect(runtime.pending).toBe(0);
    await ledger.close();
  });

  test('releases credit that is granted during the closing', async () => {
    await credit(1);
    faulty.fate = 'hang';
    const reserving = watch(ledger.reserve('a', price));
    await settleTurns();
    const closing = ledger.close();
    faulty.fate = 'ok';
    faulty.letGo();
    await closing;
    expect(reserving.error?.code).toBe('unavailable');
    expect(await balance()).toMatchObject({ avail: price, held: 0 });
  });

  test('takes at most 5 s', async () => {
    await credit(1);
    const reservation = await ledger.reserve('a', price);
    faulty.fate = 'lost';
    const settling = watch(ledger.settle(reservation, [charge]));
    const closing = watch(ledger.close());
    await runtime.advance(4_999);
    expect(closing).toEqual({});
    await runtime.advance(1);
    expect('value' in closing).toBe(true);
    expect(settling.error?.code).toBe('unavailable');
    await runtime.advance(60_000);
    expect(runtime.pending).toBe(0);
  });

  test('does not call the store if nothing is pending', async () => {
    await ledger.close();
    expect(faulty.attempts).toEqual([]);
  });
});

describe('the sweeper', () => {
  test('sweeps every 5 s, also after a failure', async () => {
    const told: unknown[] = [];
    let away = true;
    const sweeper = new Sweeper({
      store: {
        ...store.ledger,
        sweep: () => (away ? Promise.reject(new StoreUnavailableError('away')) : Promise.resolve(2)),
      },
      runtime,
      onSwept: (holds) => told.push(holds),
      onError: (error) => told.push(error),
    });
    sweeper.start();
    sweeper.start();
    await runtime.advance(5_000);
    expect(told).toEqual([expect.any(StoreUnavailableError)]);
    away = false;
    await runtime.advance(5_000);
    expect(told).toHaveLength(2);
    expect(told[1]).toBe(2);
    await sweeper.stop();
    await runtime.advance(20_000);
    expect(told).toHaveLength(2);
  });
});

describe('a key with a daily budget', () => {
  const budget = { key: 'k', microsPerDay: 3 * price };
  const callWith = async (from = ledger) => from.settle(await from.reserve('a', price, budget), [charge]);
  const spent = { reason: 'key_budget_spent', code: 'insufficient_credits' };

  test('is charged at most its budget, by several processes together, and again the next day', async () => {
    await credit(100);
    const other = new Ledger({ store: store.ledger, runtime });
    const asked = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => callWith(at % 2 ? ledger : other)));
    // A reservation counts before it is charged, so some calls may have been refused that would have been paid for.
    const charged = asked.filter(({ status }) => status === 'fulfilled').length;
    expect(charged).toBeGreaterThanOrEqual(1);
    for (let left = 3 - charged; left > 0; left--) await callWith();
    expect(await balance()).toMatchObject({ charged: 3 * price, held: 0 });
    const now = runtime.now();
    const midnight = now - (now % 86_400_000) + 86_400_000;
    const message = `The limit resets at ${new Date(midnight).toISOString()}.`;
    for (const each of [ledger, other]) {
      await expect(callWith(each)).rejects.toMatchObject({
        ...spent,
        message: expect.stringContaining(message),
        retryAfterSeconds: Math.ceil((midnight - now) / 1_000),
      });
    }
    await call();
    runtime.leap(midnight - now);
    await callWith();
    expect(await balance()).toMatchObject({ charged: 5 * price });
  });

  test('releases what it did not charge', async () => {
    await credit(100);
    const reservation = await ledger.reserve('a', 3 * price, budget);
    await expect(ledger.reserve('a', price, budget)).rejects.toMatchObject(spent);
    await ledger.settle(reservation, [charge]);
    const rest = await ledger.reserve('a', 2 * price, budget);
    await ledger.settle(rest, []);
    await ledger.returned('a');
    expect(await balance()).toMatchObject({ charged: price, held: 0 });
    await ledger.settle(await ledger.reserve('a', 2 * price, budget), [charge, charge]);
    expect(ledger.activeAccounts).toBe(0);
  });

  test('does not make other keys of the account wait for a reservation', async () => {
    await credit(100);
    await call();
    await ledger.reserve('a', 3 * price, budget);
    await expect(ledger.reserve('a', price, budget)).rejects.toMatchObject(spent);
    expect(ledger.deferCharge('a', price)).not.toBeNull();
  });
});
