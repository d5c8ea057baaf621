// Runs test/faults, which kills gateways and injects faults of their store, disk and clocks while calls and events run. Checks that no
// charge is lost or doubled, and that gateways recover in the promised time.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readArguments } from './bench/frame.ts';

/** The promised times in milliseconds from the end of a fault until calls succeed and until events arrive (docs/operating.md). */
const callMs = 5_000;
/** MongoDB keeps the transaction of a killed gateway open, with its lock on the account, for 5 s (src/store/mongo/sessions.ts). */
const lockedCallMs = 10_000;
const eventMs = 30_000;
const heldMs = 30_000;

interface Calls {
  lost: number;
  doubled: number;
}

/** The results that test/faults writes to the file KILLS_RESULTS. */
interface Faults {
  store: string;
  accounts: Calls[];
  /** The time until all reserved credit was available again after all gateways were killed. */
  heldMs: number;
  recoveries: { name: string; callMs: number; eventMs: number }[];
}

const values = readArguments(
  `npm run check -- kills [--store sqlite|mongodb] [--kills 20] [--gateways 3] [--each 1] [--seed 1a2b3c4d]

Runs gateways on one store. Meanwhile callers send reads and writes over REST and GraphQL, repeat writes with an Idempotency-Key after a lost
response, and webhooks receive events. Injects each fault alone --each times and measures the time until calls succeed and events arrive:
a gateway killed or frozen, the store locked, killed or frozen, its disk full (if this process may mount a disk), and clocks set an hour
ahead and back. Then kills gateways --kills times, some at once, mixed with other faults that depend on the seed. Then upgrades the gateways
one by one to a version with a migration. Checks after each round and at the end that no charge, tweet or event is lost or doubled.

  --database-clock  sets the clock of the database too, with libfaketime (Debian: faketime), which makes secantusd much slower
  --fault           injects only single faults whose names contain this text, such as "clock"
  --store           tests only this store; both by default
  --only            runs only "faults" or "upgrade"
  --old PATH        upgrades from the older version in this folder, which must be built, to this one; by default from this one to a next one

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
  const upgrade = values.only === 'faults' ? null : run<Calls>(store, ['test/faults/upgrade.test.ts', '-t', store]);
  for (const missed of [...(faults ? missedBy(faults) : []), ...(upgrade ? wrongCharges(upgrade) : [])]) {
    process.stdout.write(`MISSED on ${store}: ${missed}\n`);
    process.exitCode = 1;
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
  if (status === 0 && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Results;
  process.stderr.write(`kills: ${args[0]} failed or was skipped, so it has no results\n`);
  process.exitCode = 1;
  return null;
}

function missedBy({ store, accounts, heldMs: held, recoveries }: Faults): string[] {
  const limitOf = (name: string) => (store === 'mongodb' && name.includes('killed') ? lockedCallMs : callMs);
  return [
    ...accounts.flatMap(wrongCharges),
    ...(held > heldMs ? [`reserved credit was available again after ${held} ms instead of ${heldMs}`] : []),
    ...recoveries
      .filter((each) => each.callMs > limitOf(each.name) || each.eventMs > eventMs)
      .map((each) => `${each.name}: calls succeeded after ${each.callMs} ms, events arrived after ${each.eventMs} ms`),
  ];
}

function wrongCharges({ lost, doubled }: Calls): string[] {
  return lost + doubled > 0 ? [`${lost} charges lost, ${doubled} doubled`] : [];
}
