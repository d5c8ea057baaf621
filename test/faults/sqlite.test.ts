import { test } from 'vitest';
import { proofTimeoutMs, prove, wanted } from './prove.ts';
import { sqliteBackend } from './sqlite-backend.ts';

test(
  `on SQLite, no charge, tweet or event is lost or doubled in ${wanted.kills} kills and other faults`,
  { timeout: proofTimeoutMs },
  () => prove(sqliteBackend),
);
