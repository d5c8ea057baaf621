#!/usr/bin/env node
// Backup and restore under load, damaged backups and stores, and the change of SECRET_KEY under load.
import { randomBytes } from 'node:crypto';
import { checkDamage } from './backup/damage.js';
import { describeBackup, describeDamage, describeRotation } from './backup/describe.js';
import { startEnvironment } from './backup/environment.js';
import { checkBackup } from './backup/restore.js';
import { checkRotation } from './backup/rotate.js';
import { readArguments } from './bench/frame.js';
import { findServer } from './bench/mongo-server.js';
import { stopAll } from './bench/processes.js';
import { record } from './reliability/report.js';

const parts = ['backup', 'damage', 'rotation'];
const values = readArguments(
  `npm run backup-under-load -- [--store sqlite|mongodb] [--part NAME] [--rounds 1] [--seconds 6] [--seed 1a2b3c4d]

Callers write under Idempotency-Keys, read, change webhooks and cause events. Exits with 1 if a promise of docs/operating.md is broken.

  backup    \`postern backup\` runs while callers work; the gateways are killed; \`postern restore\` restores into an empty store, and a
            new gateway goes on. Charges, stored responses, webhooks and events must be those of one point in time
  damage    damaged backups and stores, and wrong keys, are refused with a message
  rotation  SECRET_KEY is changed on two gateways, and \`postern secrets rotate\` is killed several times. No call fails, and no
            event is lost

  --store     both if it is left out; MongoDB is that of MONGODB_URL, or a mongod or secantusd-py on the PATH
  --part      ${parts.join(', ')}; may be repeated; all if it is left out
  --rounds    number of repetitions of backup and rotation
  --seconds   seconds of load in each round
  --callers   callers that write
  --damages   number of damaged backups and of damaged stores
  --webhooks  number of webhooks that a rotation encrypts
  --kills     number of kills of a rotation
  --record    records the results in docs/reliability`,
  {
    store: { type: 'string', multiple: true, default: ['sqlite', 'mongodb'] },
    part: { type: 'string', multiple: true, default: parts },
    rounds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '6' },
    callers: { type: 'string', default: '6' },
    damages: { type: 'string', default: '10' },
    webhooks: { type: 'string', default: '220' },
    kills: { type: 'string', default: '2' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    record: { type: 'boolean', default: false },
  },
);
const options = Object.fromEntries(
  ['rounds', 'seconds', 'callers', 'damages', 'webhooks', 'kills'].map((name) => [name, Number(values[name])]),
);
const rows = [];
process.stdout.write(`backup-under-load: --seed ${values.seed} repeats the calls\n`);
for (const store of values.store) {
  const server = store === 'mongodb' ? await findServer() : null;
  if (store === 'mongodb' && server === null) {
    process.stderr.write('backup-under-load: no MongoDB here, so it is skipped (CONTRIBUTING.md)\n');
    continue;
  }
  const environment = await startEnvironment(server, !values.record);
  for (const part of parts) if (values.part.includes(part)) await run(part, environment);
  await environment.stop();
  await server?.stop();
}
await stopAll();
if (values.record) {
  const notes = [
    'The store of MongoDB is a server that speaks its protocol, unless `MONGODB_URL` is set. Each call opens a connection.',
  ];
  record('backup', { title: 'Backup, restore and change of the secret key', notes, rows });
}
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;

async function run(part, environment) {
  const rounds = [];
  const startedAt = performance.now();
  for (let round = 0; round < (part === 'damage' ? 1 : options.rounds); round++) {
    const seed = `${values.seed}-${environment.kind}-${round}`;
    const check = { backup: checkBackup, damage: checkDamage, rotation: checkRotation }[part];
    rounds.push(await check(environment, { ...options, seed }));
  }
  const faults = rounds.flatMap((round) => round.faults);
  for (const fault of faults) process.stderr.write(`backup-under-load, ${environment.kind}: ${fault}\n`);
  const command = `npm run backup-under-load -- --store ${environment.kind} --part ${part}`;
  for (const undetected of rounds.flatMap(({ stores }) => stores?.undetected ?? [])) {
    process.stdout.write(`not found: ${undetected}\n`);
  }
  const row = { backup: describeBackup, damage: describeDamage, rotation: describeRotation }[part](rounds);
  const measured = faults.length === 0 ? row.measured : `${faults.length} violations, such as: ${faults[0]}`;
  rows.push({ ...row, test: `${row.test}, ${environment.kind}`, measured, met: faults.length === 0, command });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    `${row.test}, ${environment.kind} (${seconds} s)\n  promised: ${row.promised}\n  measured: ${measured}\n`,
  );
}
