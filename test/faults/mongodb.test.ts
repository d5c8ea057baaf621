import { test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';
import { mongoBackend } from './mongo-backend.ts';
import { proofTimeoutMs, prove, wanted } from './prove.ts';

const found = findMongo();
/** A server that was already running must not be killed. */
const ours = found?.kind === 'running' ? null : found;
if (!ours) process.stderr.write(`test/faults/mongodb.test.ts ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);

test.skipIf(ours === null)(
  `on MongoDB, no charge, tweet or event is lost or doubled in ${wanted.kills} kills and other faults`,
  { timeout: proofTimeoutMs },
  () => prove((options) => mongoBackend(ours as NonNullable<typeof ours>, options)),
);
