import { test } from 'vitest';
import { proofTimeoutMs, prove, rounds } from './prove.ts';
import { sqliteBackend } from './sqlite-backend.ts';

test(`on SQLite, money adds up through ${rounds} rounds of kills, pauses and locks`, { timeout: proofTimeoutMs }, () =>
  prove(sqliteBackend),
);
