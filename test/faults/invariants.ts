import { type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { pause } from './gateway.ts';
import type { Tally } from './tally.ts';

/** The price of every call in these tests, in micro-dollars. */
export const price = 1_000;

/** The data of one account for a comparison between the store and its callers. */
export interface Books {
  name: string;
  account: string;
  tally: Tally;
  /** True if all unknown outcomes become known in the end, so that the charges must equal the acknowledged calls exactly. */
  exact: boolean;
}

interface Sheet {
  paid: number;
  avail: number;
  held: number;
  charged: number;
  usage: number;
  payments: number;
}

/**
 * Reads an account consistently. It is read in three parts while gateways make charges, so the read is repeated until the first part has
 * not changed.
 */
async function readSheet(store: Store, account: string): Promise<Sheet> {
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  let before = await store.ledger.balance(account);
  for (let tries = 0; tries < 200; tries++) {
    const usage = await store.ledger.usage(account, 0, Number.MAX_SAFE_INTEGER);
    const payments = await store.ledger.payments(account, 100);
    const balance = await store.ledger.balance(account);
    if (balance && balance.charged === before?.charged && balance.paid === before.paid) {
      return {
        ...balance,
        usage: sum(usage.map((line) => line.micros)),
        payments: sum(payments.map((payment) => payment.micros)),
      };
    }
    before = balance;
  }
  throw new Error(`${account} changes too fast to be read`);
}

/** A database that was just started may refuse the first query. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 600_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/** Checks the invariants of money, which hold at any time. Returns the violations. */
export async function judgeBooks(store: Store, { name, account, tally }: Books): Promise<string[]> {
  // Calls that are acknowledged now must be charged when the account is read, and charges in it must belong to issued calls.
  const { acknowledged } = tally;
  const sheet = await patiently(() => readSheet(store, account));
  const possible = tally.issued - tally.refused;
  const { paid, avail, held, charged, usage, payments } = sheet;
  const rules: [boolean, string][] = [
    [paid === avail + held + charged, 'paid = avail + held + charged'],
    [charged === usage, 'charged = sum of usage'],
    [paid === payments, 'paid = sum of payments'],
    [avail >= 0 && held >= 0, 'nothing is below 0'],
    [acknowledged * price <= charged, `${acknowledged} acknowledged <= charged`],
    [charged <= possible * price, `charged <= ${possible} acknowledged, unknown or on their way`],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => `${name}: not ${rule}: ${JSON.stringify(sheet)}`);
}

/** Checks the invariants of money, and additional ones that hold only when no call is running. */
export async function judgeBooksAtRest(store: Store, books: Books): Promise<string[]> {
  const faults = await judgeBooks(store, books);
  const balance = await patiently(() => store.ledger.balance(books.account));
  const { charged = 0, held = 0 } = balance ?? {};
  const { acknowledged, unknown } = books.tally;
  if (held !== 0) faults.push(`${books.name}: ${held} are still held`);
  if (books.exact && unknown > 0) faults.push(`${books.name}: ${unknown} requests under keys never became known`);
  if (books.exact && charged !== acknowledged * price) {
    faults.push(`${books.name}: charged for ${charged / price} instead of ${acknowledged}, each under a key`);
  }
  return faults;
}
