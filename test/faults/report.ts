import type { FaultEnvironment } from './environment.ts';
import { price } from './invariants.ts';

export interface Run {
  fixture: FaultEnvironment;
  seed: string;
  rounds: number;
  /** The time after the last kill until no credit was reserved. */
  heldMs: number;
  durationMs: number;
}

/** Prints the faults and their effects. */
export async function report({ fixture, seed, rounds, heldMs, durationMs }: Run): Promise<void> {
  const { backend, books, gateways, counts } = fixture;
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const rows: [string, string | number][] = [
    ['store', backend.kind],
    ['seed', seed],
    ['rounds', rounds],
    ['seconds', Math.round(durationMs / 1_000)],
    ['gateways killed', sum(gateways.map((gateway) => gateway.counts.kills))],
    ['starts that failed', sum(gateways.map((gateway) => gateway.counts.failedStarts))],
    ...[...counts].filter(([kind]) => kind !== 'kill').map(([kind, times]): [string, number] => [kind, times]),
    ['last hold given back', `${(heldMs / 1_000).toFixed(1)} s after the last kill`],
  ];
  for (const { name, account, tally } of books) {
    const { acknowledged, unknown, refused, issued } = tally;
    const charged = ((await backend.store.ledger.balance(account))?.charged ?? 0) / price;
    rows.push(
      [`${name}: calls`, issued],
      [`${name}: acknowledged`, acknowledged],
      [`${name}: unknown`, unknown],
      [`${name}: refused`, refused],
      [`${name}: charged`, charged],
      [`${name}: lost`, Math.max(0, acknowledged - charged)],
      [`${name}: doubled`, Math.max(0, charged - acknowledged - unknown)],
    );
  }
  const width = Math.max(...rows.map(([name]) => name.length));
  process.stdout.write(`${rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')}\n`);
}
