import { test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';
import { mongoBackend } from './mongo-backend.ts';
import { proofTimeoutMs, prove, rounds } from './prove.ts';

const found = findMongo();
/** A server that was already running must not be killed. */
const ours = found?.kind === 'running' ? null : found;
if (!ours) process.stderr.write(`test/faults/mongodb.test.ts ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);

test.skipIf(ours === null)(
  `on MongoDB, money adds up through ${rounds} rounds of kills, broken networks, clocks an hour apart and a database that dies`,
  { timeout: proofTimeoutMs },
  () => prove(() => mongoBackend(ours as NonNullable<typeof ours>)),
);
