#!/usr/bin/env node
// Measures the cost of idle webhooks: many platform accounts without events, each with its own webhook.
import { readArguments, recordResults } from './bench/frame.js';
import { idle } from './bench/idle.js';
import { start, stopAll } from './bench/processes.js';

const values = readArguments(
  `npm run bench:idle -- [--accounts 1000,10000] [--seconds 60] [--warm 75]

Measures the service with --accounts idle platform accounts on the embedded store. Each account has a valid webhook and its own poller,
and 100 of them belong to one API account. They are written into the store before the service starts, with a creation time one hour ago
and no event since. The measurement lasts --seconds and begins after --warm seconds, in which every poller sends its first requests.`,
  {
    accounts: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '75' },
  },
);
const [seconds, warmSeconds] = [values.seconds, values.warm].map(Number);
const secret = 'a-secret-for-the-bench';
const receiver = await start('bench/webhook-receiver.js', [secret], { NODE_ENV: 'production' });

const results = [];
for (const count of values.accounts.split(',').map(Number)) {
  const result = await idle({ count, seconds, warmSeconds, receiver, secret });
  results.push(result);
  process.stdout.write(
    `${String(count).padStart(6)} accounts: CPU ${result.cpu.toFixed(1)} % of a core, ${result.megabytes.toFixed(0)} MB resident, ` +
      `${result.requests.toFixed(1)} requests/s to the platform; all run ${result.claimedAfter.toFixed(0)} s after the start\n`,
  );
}
const [least, most] = [results[0], results.at(-1)];
if (results.length > 1) {
  const times = (figure) => `${(most[figure] / least[figure]).toFixed(1)}-fold`;
  process.stdout.write(
    `${most.count / least.count} times the accounts: CPU ${times('cpu')}, memory ${times('megabytes')}, requests ${times('requests')}\n`,
  );
}
recordResults({
  metrics: results.flatMap(({ count, cpu, megabytes }) => [
    {
      id: `idle.${count}.cpu`,
      label: `${count} idle accounts: share of a core`,
      value: cpu,
      unit: '%',
      better: 'lower',
    },
    {
      id: `idle.${count}.memory`,
      label: `${count} idle accounts: resident memory`,
      value: megabytes,
      unit: 'MB',
      better: 'lower',
    },
  ]),
});
await stopAll();
