#!/usr/bin/env node
// kill -9 while events are delivered: npm run test:survival -- --store mongodb --kills 20 --events 2000 --seed 1a2b3c4d
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: '' },
    kills: { type: 'string', default: '20' },
    events: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run test:survival -- [--kills 20] [--events 2000] [--store sqlite|mongodb] [--seed 1a2b3c4d]

Kills gateways while they deliver events and checks that every event arrives, and that repeated deliveries have the same body.
Without --store it runs on SQLite and on MongoDB; without --seed on a random seed, which it prints.\n`);
  process.exit();
}
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--mode', 'all', `test/webhooks/kills-${values.store}`],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      SURVIVAL_KILLS: values.kills,
      SURVIVAL_EVENTS: values.events,
      SURVIVAL_SEED: values.seed,
    },
  },
);
process.exitCode = status ?? 1;
