import { expect, test } from 'vitest';
import { proofTimeoutMs, prove, rounds } from './prove.ts';
import { drawSchedule } from './schedule.ts';
import { sqliteBackend } from './sqlite-backend.ts';

test('a seed gives the same faults again, and another seed others', () => {
  const options = { store: 'sqlite', rounds: 20, gateways: 2, long: true } as const;
  expect(drawSchedule('a', options)).toEqual(drawSchedule('a', options));
  expect(drawSchedule('a', options)).not.toEqual(drawSchedule('b', options));
});

test(`on SQLite, money adds up through ${rounds} rounds of kills, pauses and locks`, { timeout: proofTimeoutMs }, () =>
  prove(sqliteBackend),
);
