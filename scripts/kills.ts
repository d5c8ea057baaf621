// Kills gateways and disturbs their store, their disk and their clocks while calls and events run, and checks that nothing is lost or doubled.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readArguments } from './bench/frame.ts';
import { type Faults, rowsOf, type Upgrade } from './kills/rows.ts';

const values = readArguments(
  `npm run check -- kills [--store sqlite|mongodb] [--kills 20] [--gateways 3] [--each 1] [--seed 1a2b3c4d]

Runs gateways on one store while callers send reads, writes, and writes with an Idempotency-Key over REST and GraphQL, which they repeat after a
lost response, and while webhooks receive events. Applies each fault alone --each times and measures the time until calls succeed and events
arrive: a gateway killed or frozen, the store locked, killed or frozen, its disk full (if this process may mount a disk), and clocks set an hour
ahead and back. Then kills gateways --kills times, several at once too, mixed with other faults that depend on the seed. Then replaces the
gateways one by one by a version with a migration. Checks after each round and at the end that no charge, tweet or event is lost or doubled.

  --database-clock  moves the clock of the database too, with libfaketime (Debian: faketime), which makes secantusd much slower
  --fault     only faults alone whose names contain this, such as "clock"
  --store     only this store. The default is both, one after the other
  --only      "faults" or "upgrade"
  --old PATH  upgrades from this folder of an older version, after its \`npm ci && npm run build\`, instead of to the next one

Exits with 1 if something is lost or doubled, or a recovery takes longer than promised.`,
  {
    store: { type: 'string' },
    kills: { type: 'string', default: '20' },
    gateways: { type: 'string', default: '3' },
    each: { type: 'string', default: '1' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    fault: { type: 'string', default: '' },
    'database-clock': { type: 'boolean', default: false },
    only: { type: 'string' },
    old: { type: 'string' },
  },
);

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const folder = mkdtempSync(join(tmpdir(), 'postern-kills-'));
for (const store of values.store ? [values.store] : ['sqlite', 'mongodb']) {
  const faults = values.only === 'upgrade' ? null : run<Faults>(store, [`test/faults/${store}.test.ts`]);
  const upgrade = values.only === 'faults' ? null : run<Upgrade>(store, ['test/faults/upgrade.test.ts', '-t', store]);
  const rows = rowsOf(store, faults, upgrade);
  for (const { test, fault, promised, measured, met } of rows) {
    process.stdout.write(`${met ? 'kept  ' : 'MISSED'} ${test}, ${fault}: ${measured} (promised: ${promised})\n`);
    if (!met) process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true });

/** Runs the tests of a store. Returns their results, or `null` if they failed or were skipped. */
function run<Results>(store: string, args: string[]): Results | null {
  const path = join(folder, `${store}-${args.length}.json`);
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--mode', 'all', ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      KILLS: values.kills,
      KILLS_GATEWAYS: values.gateways,
      KILLS_EACH: values.each,
      KILLS_FAULT: values.fault,
      KILLS_DATABASE_CLOCK: values['database-clock'] ? '1' : '',
      KILLS_SEED: values.seed,
      KILLS_LONG: '1',
      KILLS_RESULTS: path,
      ...(values.old && { KILLS_OLD: values.old }),
    },
  });
  if (status !== 0) {
    process.stderr.write(`kills: ${args[0]} failed, so it has no results\n`);
    process.exitCode = 1;
    return null;
  }
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Results;
  } catch {
    process.stderr.write(`kills: ${args[0]} has no results\n`);
    process.exitCode = 1;
    return null;
  }
}
