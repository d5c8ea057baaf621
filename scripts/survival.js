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
  },
});
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', `test/webhooks/kills-${values.store}`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...{ SURVIVAL_KILLS: values.kills, SURVIVAL_EVENTS: values.events, SURVIVAL_SEED: values.seed },
  },
});
process.exitCode = status ?? 1;
