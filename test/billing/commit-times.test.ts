import { expect, test } from 'vitest';
import { CommitTimes } from '../../src/billing/commit-times.ts';

const maxMs = 1_000;

function timesAt(clock: { ms: number }) {
  const times = new CommitTimes(maxMs, () => clock.ms);
  return {
    measure: () => times.measure(),
    start: (account: string) => times.start(account),
    take(account: string, ms: number, failed = false) {
      const ended = times.start(account);
      clock.ms += ms;
      ended(failed);
    },
  };
}

test('commits are late if the shortest of several accounts takes too long', () => {
  const times = timesAt({ ms: 0 });
  times.take('ada', 3_000);
  times.take('grace', 2_000);
  expect(times.measure()).toBe(2);
  times.take('ada', 3_000);
  times.take('grace', 100);
  expect(times.measure()).toBe(0.1);
  expect(times.measure()).toBe(0);
});

test('slow commits of one account do not count, because they may wait for another gateway', () => {
  const times = timesAt({ ms: 0 });
  times.take('ada', 3_000);
  times.take('ada', 3_000);
  expect(times.measure()).toBe(0);
});

test('an attempt that fails at once is not fast, and one that fails after a long time is slow', () => {
  const times = timesAt({ ms: 0 });
  times.take('ada', 2_000);
  times.take('grace', 5_000, true);
  times.take('linus', 1, true);
  expect(times.measure()).toBe(2);
  times.take('linus', 1, true);
  expect(times.measure()).toBe(0);
});

test('commits that hang are late before they end, and unknown before that', () => {
  const clock = { ms: 0 };
  const times = timesAt(clock);
  const ended = ['ada', 'grace'].map((account) => times.start(account));
  clock.ms = 900;
  expect(times.measure()).toBeNull();
  clock.ms = 1_500;
  expect(times.measure()).toBe(1.5);
  for (const end of ended) end(true);
  expect(times.measure()).toBe(1.5);
  expect(times.measure()).toBe(0);
});
