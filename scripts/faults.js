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
    store: { type: 'string' },
  },
});
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', `test/faults/${values.store ?? ''}`], {
  stdio: 'inherit',
  env: { ...process.env, FAULT_LONG: '1', FAULT_ROUNDS: values.rounds, FAULT_SEED: values.seed },
});
process.exitCode = status ?? 1;
