import { expect, test } from 'vitest';
import { AdaptiveLimit } from '../../../src/api/server/adaptive-limit.ts';

const maxTurnMs = 10;

/** A limit of an event loop whose turns take as long as `turn` says. Without `ms` none has been measured. */
function limitOf(turn: { ms: number | null }) {
  const limit = new AdaptiveLimit(() => (turn.ms === null ? null : turn.ms / maxTurnMs));
  return {
    allows: (inFlight: number, own: number) => limit.allows(inFlight, own),
    sample(inFlight: number, times = 1, ended = 20) {
      for (let i = 0; i < times; i++) {
        for (let j = 0; j < ended; j++) limit.requestEnded();
        limit.sample(inFlight);
      }
    },
  };
}

/** Returns the number of requests that a single caller may have in flight. */
function mostOf(limit: { allows: (inFlight: number, own: number) => boolean }): number {
  let inFlight = 0;
  while (inFlight < 10_000 && limit.allows(inFlight, inFlight)) inFlight++;
  return inFlight;
}

test('nothing is limited while turns are short, however many requests wait for the platform', () => {
  const limit = limitOf({ ms: 5 });
  limit.sample(4_000, 100);
  expect(mostOf(limit)).toBe(10_000);
});

test('a short delay limits nothing, a long one does', () => {
  const turn = { ms: 50 };
  const limit = limitOf(turn);
  limit.sample(60, 7);
  turn.ms = 5;
  limit.sample(60);
  turn.ms = 50;
  limit.sample(60, 7);
  expect(mostOf({ allows: (inFlight) => limit.allows(Math.min(inFlight, 60), 0) })).toBe(10_000);
  limit.sample(60);
  expect(limit.allows(60, 60)).toBe(false);
});

test('a limit because of a long delay begins with the requests in flight', () => {
  const limit = limitOf({ ms: 50 });
  limit.sample(60, 8);
  expect(limit.allows(59, 0)).toBe(true);
  expect(limit.allows(60, 0)).toBe(false);
});

test('many requests that come during a delay are limited after one late sample', () => {
  const turn = { ms: 5 };
  const limit = limitOf(turn);
  // 20 requests end in each sample, so 80 more than usual are a flood.
  limit.sample(10, 100, 20);
  turn.ms = 50;
  limit.sample(60);
  expect(limit.allows(85, 12)).toBe(true);
  expect(limit.allows(91, 13)).toBe(false);
  // A flood that is not late is none: the requests wait for the platform.
  const other = limitOf({ ms: 5 });
  other.sample(10, 100, 20);
  expect(other.allows(4_000, 4_000)).toBe(true);
});

test('settles where a turn takes the maximum, from both sides', () => {
  // Each request in flight takes 0.1 ms of each turn, so a turn takes 10 ms with 100 requests in flight.
  for (const atFirst of [1_000, 20]) {
    const turn = { ms: 20 };
    const limit = limitOf(turn);
    limit.sample(atFirst, 8);
    let inFlight = 0;
    for (let i = 0; i < 500; i++) {
      inFlight = mostOf(limit);
      turn.ms = inFlight / 10;
      limit.sample(inFlight);
    }
    expect(inFlight).toBeGreaterThan(80);
    expect(inFlight).toBeLessThan(120);
  }
});

test('the limit is never less than 16', () => {
  const limit = limitOf({ ms: 1_000 });
  limit.sample(500, 8);
  limit.sample(10, 100);
  for (let inFlight = 0; inFlight < 16; inFlight++) expect(limit.allows(inFlight, 0)).toBe(true);
  expect(limit.allows(16, 0)).toBe(false);
});

test('a caller may have half of the free requests in flight, so that it leaves room to others', () => {
  const limit = limitOf({ ms: 20 });
  limit.sample(0, 8);
  // The limit is 16.
  const greedy = mostOf(limit);
  expect(greedy).toBe(6);
  for (let others = 0; others < 10; others++) expect(limit.allows(greedy + others, 0)).toBe(true);
  expect(limit.allows(greedy + 1, greedy)).toBe(false);
});

test('the limit ends when it has refused nothing for half a second', () => {
  const turn = { ms: 20 };
  const limit = limitOf(turn);
  limit.sample(0, 8);
  turn.ms = 5;
  limit.sample(10, 19);
  expect(limit.allows(16, 0)).toBe(false);
  limit.sample(10, 20);
  expect(limit.allows(20, 0)).toBe(false);
  limit.sample(10, 21);
  expect(limit.allows(1_000, 0)).toBe(true);
});

test('a sample without a measurement changes nothing', () => {
  const turn: { ms: number | null } = { ms: 20 };
  const limit = limitOf(turn);
  limit.sample(10, 8);
  turn.ms = null;
  limit.sample(10, 100);
  expect(limit.allows(16, 0)).toBe(false);
});
