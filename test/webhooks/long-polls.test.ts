import { expect, test } from 'vitest';
import { LongPollSlots, LongPolls } from '../../src/webhooks/polling/long-polls.ts';

const minute = 60_000;
const owner = (account: string, proxy: string | null = null) => ({ account, proxy });

/** Takes all free slots and returns their number. */
function takeAll(slots: LongPollSlots, account: string, proxy: string | null = null, quiet = 0): number {
  let taken = 0;
  while (taken < 10_000 && slots.take(owner(account, proxy), quiet)) taken++;
  return taken;
}

test('an account alone gets half of the slots, and the next one half of the rest', () => {
  const slots = new LongPollSlots(100);
  expect([takeAll(slots, 'a'), takeAll(slots, 'b'), takeAll(slots, 'c')]).toEqual([50, 25, 13]);
});

test('a slot that is given back can be taken again', () => {
  const slots = new LongPollSlots(1);
  const end = slots.take(owner('a'), 0);
  expect(slots.take(owner('b'), 0)).toBeNull();
  end?.();
  expect(slots.take(owner('b'), 0)).not.toBeNull();
});

test('the more slots are taken, the more recent an event must be', () => {
  const slots = new LongPollSlots(100);
  expect(takeAll(slots, 'a', null, 0.75)).toBe(25);
  expect(takeAll(slots, 'b', null, 0.75)).toBe(0);
  expect(takeAll(slots, 'b', null, 0.5)).toBe(25);
});

test('at most 64 requests wait through one proxy, for all accounts together', () => {
  const slots = new LongPollSlots(500);
  expect(takeAll(slots, 'a', 'proxy:1')).toBe(64);
  expect(takeAll(slots, 'b', 'proxy:1')).toBe(0);
  expect(takeAll(slots, 'b', 'proxy:2')).toBe(64);
});

test('no request waits without slots or with a time of 0', () => {
  expect(new LongPolls(new LongPollSlots(0), 25_000).begin(owner('a'), 0, true)).toBeNull();
  const off = new LongPolls(new LongPollSlots(9), 0);
  expect([off.isActive(0), off.begin(owner('a'), 0, false)]).toEqual([false, null]);
});

test('requests for a quiet actor do not wait, unless a stream needs its events', () => {
  const waits = new LongPolls(new LongPollSlots(9), 25_000);
  expect(waits.begin(owner('a'), 8 * minute, false)).toMatchObject({ ms: 25_000 });
  expect(waits.begin(owner('a'), 9 * minute, false)).toBeNull();
  expect(waits.begin(owner('a'), 90 * minute, true)).toMatchObject({ ms: 25_000 });
});

test('waits that break while polls succeed become shorter until they succeed, and long again after an hour', () => {
  const waits = new LongPolls(new LongPollSlots(9), 25_000);
  const breakAt = (now: number) => {
    waits.interrupted();
    waits.succeeded(now);
    const wait = waits.begin(owner('a'), 0, false);
    wait?.end();
    return wait?.ms;
  };
  expect([1, 2, 3, 4].map((seconds) => breakAt(seconds * 1_000))).toEqual([25_000, 12_500, 6_250, undefined]);
  waits.succeeded(62 * minute);
  expect(waits.begin(owner('a'), 0, false)).toMatchObject({ ms: 25_000 });
});

test('a wait that broke because the platform was away is not shortened', () => {
  const waits = new LongPolls(new LongPollSlots(9), 25_000);
  for (let round = 0; round < 5; round++) {
    waits.interrupted();
    waits.failed();
    waits.succeeded(round);
  }
  expect(waits.begin(owner('a'), 0, false)).toMatchObject({ ms: 25_000 });
});

test('after a burst, polls of an actor with many events are 200 ms apart', () => {
  const waits = new LongPolls(new LongPollSlots(9), 25_000);
  let now = 1_000;
  const pauses = Array.from({ length: 103 }, () => {
    const pause = waits.pauseAfterEventsMs(now);
    now += pause;
    return pause;
  });
  expect(pauses.slice(0, 100).every((ms) => ms === 0)).toBe(true);
  expect(pauses.slice(100)).toEqual([200, 200, 200]);
  expect(waits.pauseAfterEventsMs(61_000)).toBe(0);
});
