#!/usr/bin/env node
// The fault suite for as long as wanted: npm run test:faults -- --rounds 500 --store mongodb --seed 1a2b3c4d
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: process.env['FAULT_ROUNDS'] ?? '300' },
    seed: { type: 'string', default: process.env['FAULT_SEED'] ?? '' },
    store: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run test:faults -- [--rounds 300] [--store sqlite|mongodb] [--seed 1a2b3c4d]

Kills, pauses and disconnects gateways and their store while callers work, and checks every account's books after each round.
Without --store it runs on SQLite and on MongoDB, one after the other; without --seed on a random seed, which it prints.\n`);
  process.exit();
}
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--mode', 'all', `test/faults/${values.store}`], {
  stdio: 'inherit',
  env: { ...process.env, FAULT_LONG: '1', FAULT_ROUNDS: values.rounds, FAULT_SEED: values.seed },
});
process.exitCode = status ?? 1;
