import { test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';
import { mongoBackend } from './mongo-backend.ts';
import { proofTimeoutMs, prove, wanted } from './prove.ts';

const found = findMongo();
/** A server that was already running must not be killed. */
const ours = found?.kind === 'running' ? null : found;
if (!ours) process.stderr.write(`test/faults/mongodb.test.ts ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);

/** The server of the tests is slow, so each fault is applied alone only in a longer run (`npm run check -- kills`). */
const each = process.env['KILLS_EACH'] ? wanted.each : 0;

test.skipIf(ours === null)(
  `on MongoDB, no charge, tweet or event is lost or doubled in ${wanted.kills} kills and other faults`,
  { timeout: proofTimeoutMs },
  () => prove((options) => mongoBackend(ours as NonNullable<typeof ours>, options), each),
);
