import { expect, test } from 'vitest';
import { drawSchedule } from './schedule.ts';

test('the faults depend only on the seed', () => {
  const options = { store: 'sqlite', kills: 20, gateways: 3, long: true } as const;
  expect(drawSchedule('a', options)).toEqual(drawSchedule('a', options));
  expect(drawSchedule('a', options)).not.toEqual(drawSchedule('b', options));
});

test('a schedule has exactly the wanted number of kills', () => {
  for (const kills of [1, 7, 100]) {
    const schedule = drawSchedule('a', { store: 'mongodb', kills, gateways: 3, long: false });
    expect(schedule.flat().filter(({ fault }) => fault.kind === 'kill')).toHaveLength(kills);
  }
});
