import { writeFileSync } from 'node:fs';
import type { Recovery } from './alone.ts';
import type { FaultEnvironment } from './environment.ts';
import { price } from './invariants.ts';

export interface Run {
  fixture: FaultEnvironment;
  seed: string;
  recoveries: readonly Recovery[];
  /** The time after the last kill until no credit was reserved. */
  heldMs: number;
  /** The number of repeated deliveries of events. */
  repeated: number;
  tweets: number;
  durationMs: number;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Prints the faults and their effects, and writes them to the file KILLS_RESULTS for scripts/kills.ts. */
export async function reportRun(run: Run): Promise<void> {
  const { fixture, seed, recoveries, heldMs, repeated, tweets, durationMs } = run;
  const { backend, gateways, counts, watched } = fixture;
  const restartsMs = gateways.flatMap((gateway) => gateway.restartsMs);
  const accounts = await accountsOf(fixture);
  const results = {
    store: backend.kind,
    seed,
    gateways: gateways.length,
    seconds: Math.round(durationMs / 1_000),
    kills: sum(gateways.map((gateway) => gateway.counts.kills)),
    failedStarts: sum(gateways.map((gateway) => gateway.counts.failedStarts)),
    others: Object.fromEntries([...counts].filter(([kind]) => kind !== 'kill')),
    restartMs: { median: Math.round(middle(restartsMs)), most: Math.round(Math.max(0, ...restartsMs)) },
    heldMs,
    events: sum(watched.map(({ happened }) => happened)),
    repeated,
    tweets,
    accounts,
    recoveries,
  };
  const path = process.env['KILLS_RESULTS'];
  if (path) writeFileSync(path, JSON.stringify(results));
  const { accounts: _accounts, recoveries: _recoveries, ...figures } = results;
  const lines = Object.entries(figures).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  for (const account of accounts) lines.push(`  ${JSON.stringify(account)}`);
  for (const recovery of recoveries) lines.push(`  ${JSON.stringify(recovery)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Returns the calls of each account, and what they were charged. */
export async function accountsOf({ backend, books }: FaultEnvironment) {
  const { ledger } = await backend.store();
  return Promise.all(
    books.map(async ({ name, account, tally }) => {
      const { acknowledged, unknown, refused, issued } = tally;
      const charged = ((await ledger.balance(account))?.charged ?? 0) / price;
      const lost = Math.max(0, acknowledged - charged);
      const doubled = Math.max(0, charged - acknowledged - unknown);
      return { name, issued, acknowledged, unknown, refused, charged, lost, doubled };
    }),
  );
}
