import { expect, test } from 'vitest';
import { AdaptiveLimit } from '../../../src/api/server/adaptive-limit.ts';

const sampleMs = 50;
const maxTurnMs = 10;

/** A limit of an event loop whose turns take as long as `turn` says, and which is never idle. */
function limitOf(turn: { ms: number }) {
  let turns = 0;
  let activeMs = 0;
  const limit = new AdaptiveLimit({ maxTurnMs, readLoop: () => ({ turns, activeMs }) });
  return {
    allows: (inFlight: number, own: number) => limit.allows(inFlight, own),
    sample(inFlight: number, times = 1) {
      for (let i = 0; i < times; i++) {
        activeMs += sampleMs;
        turns += sampleMs / turn.ms;
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

test('one long turn limits nothing, two late samples do', () => {
  const turn = { ms: 50 };
  const limit = limitOf(turn);
  limit.sample(200);
  turn.ms = 5;
  limit.sample(200);
  expect(mostOf(limit)).toBe(10_000);
  turn.ms = 50;
  limit.sample(200, 2);
  expect(mostOf(limit)).toBeLessThan(200);
});

test('settles where a turn takes the maximum, from both sides', () => {
  // Each request in flight takes 0.1 ms of each turn, so a turn takes 10 ms with 100 requests in flight.
  for (const atFirst of [1_000, 20]) {
    const turn = { ms: 20 };
    const limit = limitOf(turn);
    limit.sample(atFirst, 2);
    let inFlight = 0;
    for (let i = 0; i < 200; i++) {
      inFlight = mostOf(limit);
      turn.ms = inFlight / 10;
      limit.sample(inFlight);
    }
    expect(inFlight).toBeGreaterThan(80);
    expect(inFlight).toBeLessThan(120);
  }
});

test('fewer than 16 requests are never refused', () => {
  const limit = limitOf({ ms: 1_000 });
  limit.sample(500, 100);
  for (let inFlight = 0; inFlight < 16; inFlight++) expect(limit.allows(inFlight, inFlight)).toBe(true);
});

test('a caller may have as many requests in flight as are free, so that it leaves room to others', () => {
  const limit = limitOf({ ms: 20 });
  limit.sample(200, 2);
  const greedy = mostOf(limit);
  expect(greedy).toBe(50);
  expect(limit.allows(greedy, greedy)).toBe(false);
  // Others still have as much room together.
  for (let others = 0; others < 25; others++) expect(limit.allows(greedy + others, others)).toBe(true);
});

test('the limit ends when it has refused nothing for half a second', () => {
  const turn = { ms: 20 };
  const limit = limitOf(turn);
  limit.sample(200, 2);
  turn.ms = 5;
  limit.sample(10, 9);
  expect(limit.allows(150, 0)).toBe(false);
  limit.sample(10, 10);
  expect(mostOf(limit)).toBeLessThan(10_000);
  limit.sample(10, 11);
  expect(limit.allows(150, 0)).toBe(true);
});
