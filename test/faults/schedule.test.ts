import { expect, test } from 'vitest';
import { drawSchedule } from './schedule.ts';

test('the faults depend only on the seed', () => {
  const options = { store: 'sqlite', rounds: 20, gateways: 2, long: true } as const;
  expect(drawSchedule('a', options)).toEqual(drawSchedule('a', options));
  expect(drawSchedule('a', options)).not.toEqual(drawSchedule('b', options));
});
