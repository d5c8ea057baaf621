import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../../dist/billing/ledger.js';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';

export const price = 1_000;
const actions = ['tweet/advanced_search', 'tweet/create', 'tweet/favorite', 'user/info', 'user/followers'];

/**
 * Runs `callers` concurrent callers that reserve a price and settle it on alternating accounts for `durationMs`. `groups` counts the
 * responses of the store: commits whose results arrive in the same turn of the event loop shared a transaction.
 */
export async function pairs({ store, accounts, callers, durationMs }) {
  const counts = { commits: 0, groups: 0, refused: 0 };
  let answered = false;
  const ledger = new Ledger({
    store: store.ledger,
    runtime: systemRuntime,
    storeNow: () => store.now(),
    onCommit: ({ outcome }) => {
      if (outcome !== 'applied') return;
      counts.commits++;
      if (answered) return;
      answered = true;
      counts.groups++;
      setImmediate(() => {
        answered = false;
      });
    },
  });
  const latencies = [];
  let turn = 0;
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() - startedAt < durationMs) {
      const account = accounts[turn % accounts.length];
      const action = actions[Math.floor(turn++ / accounts.length) % actions.length];
      const charge = { action, micros: price };
      const sentAt = performance.now();
      try {
        await ledger.settle(await ledger.reserve(account, price), [charge]);
        latencies.push(performance.now() - sentAt);
      } catch (error) {
        if (error.code !== 'unavailable') throw error;
        counts.refused++;
        await sleep(50);
      }
    }
  };
  let seconds;
  let commits;
  try {
    await Promise.all(Array.from({ length: callers }, caller));
  } finally {
    seconds = (performance.now() - startedAt) / 1_000;
    commits = counts.commits;
    await ledger.close();
  }
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return {
    pairs: latencies.length,
    refused: counts.refused,
    group: Math.max(1, Math.round(commits / Math.max(1, counts.groups))),
    perSecond: latencies.length / seconds,
    commitsPerSecond: commits / seconds,
    p50: at(0.5),
    p99: at(0.99),
  };
}

/** Creates accounts with more credit than a benchmark can spend. */
export async function makeAccounts(store, count) {
  const ids = Array.from({ length: count }, (_, index) => `bench-${index}`);
  const createdAt = store.now();
  const make = async (id) => {
    await store.accounts.create({ id, name: id, createdAt });
    const payment = { id: `pay-${id}`, account: id, micros: 1_000_000 * 1_000_000, description: 'bench', createdAt };
    if ((await store.ledger.topUp(payment)) !== 'applied') throw new Error(`the account ${id} got no credit`);
  };
  for (let from = 0; from < count; from += 50) await Promise.all(ids.slice(from, from + 50).map(make));
  return ids;
}

/** Throws if the balance of an account is wrong. Returns the sum of all charges. */
export async function audit(store) {
  let total = 0;
  for (const { id, paid, charged, avail, held } of await store.accounts.list()) {
    if (paid !== charged + avail || held !== 0) throw new Error(`the books of ${id} do not balance`);
    total += charged;
  }
  return total;
}
