import { setTimeout as sleep } from 'node:timers/promises';
import type { Micros } from '../shared/model/money.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Store } from '../store/port.ts';
import { NoSuchAccountError } from './account-admin.ts';

/**
 * The time in milliseconds after which no process writes data of a deleted account any more: the caches of keys expire, streams end, the
 * last calls end, and their statistics are stored.
 */
const drainMs = 30_000;
/** Calls in flight hold credit. The longest ones are uploads. */
const longestWaitMs = 600_000;
const pollMs = 500;

export interface DeletionParts {
  store: Store;
  runtime: Runtime;
  /** Describes the step that begins. */
  onStep: (text: string) => void;
}

/**
 * Deletes the data of an account, except the amounts of money. Calls in flight are charged first. A repetition continues a deletion that was
 * interrupted. Returns the credit that was left. Throws `NoSuchAccountError`.
 */
export async function deleteAccount(id: string, { store, runtime, onStep }: DeletionParts): Promise<Micros> {
  const deletedAt = await store.accounts.markDeleted(id, store.now());
  if (deletedAt === null) throw new NoSuchAccountError(`No such account: ${id}`);
  await eraseAll(store, id);
  onStep(`Deleted the data of ${id}`);
  if (await isServing(store, runtime)) {
    onStep('Waiting half a minute for the calls in flight, which are charged, and for the data that they store');
    while (store.now() < deletedAt + drainMs) await sleep(pollMs);
  }
  const left = await waitForHolds(store, id);
  await eraseAll(store, id);
  return left;
}

async function eraseAll(store: Store, id: string): Promise<void> {
  while ((await store.accounts.erase(id)) > 0);
}

/** Returns true if other processes use the store. */
async function isServing(store: Store, runtime: Runtime): Promise<boolean> {
  const self = `deletion ${runtime.randomBytes(9).toString('base64url')}`;
  try {
    return (await store.processes.beat(self)) > 1;
  } finally {
    await store.processes.leave(self);
  }
}

/** Waits until no call holds credit of the account. Returns the credit. */
async function waitForHolds(store: Store, id: string): Promise<Micros> {
  for (const until = store.now() + longestWaitMs; ; ) {
    await store.ledger.sweep();
    const balance = await store.ledger.balance(id);
    if (!balance || balance.held === 0) return balance?.avail ?? 0;
    if (store.now() > until) throw new Error(`calls of ${id} are still in flight. Repeat the command later`);
    await sleep(pollMs);
  }
}
