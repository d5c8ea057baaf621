import { describe, expect, test } from 'vitest';
import { AccountBackoff, fullPagePauseMs } from '../../src/webhooks/polling/poll-delays.ts';
import { EventAllowances } from '../../src/webhooks/shared/event-allowance.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const mib = 1_024 * 1_024;

function start(limits: { perMinute?: number; perDay?: number; bytesPerDay?: number } = {}) {
  const clock = { now: 1_000_000 };
  const all = { perMinute: 1_000, perDay: 100_000, bytesPerDay: 1_024 * mib, ...limits };
  return { clock, allowances: new EventAllowances(all, () => clock.now) };
}

const poller = { account: 'a', id: 'p1' };

describe('EventAllowances', () => {
  test('allows 1,000 events and 8 MiB in each minute', () => {
    const { clock, allowances } = start();
    for (let minutes = 0; minutes < 60; minutes++) {
      for (let pages = 0; pages < 10; pages++) {
        expect(allowances.waitMs(poller)).toBe(0);
        allowances.received(poller, { events: 100, bytes: 0.8 * mib });
      }
      clock.now += minute;
    }
  });

  test('waits for as long as the last response was larger than the rest', () => {
    const { clock, allowances } = start();
    allowances.received(poller, { events: 1_100, bytes: 0 });
    expect(allowances.waitMs(poller)).toBe(6_000);
    clock.now += 6_000;
    expect(allowances.waitMs(poller)).toBe(0);
    allowances.received(poller, { events: 0, bytes: 12 * mib });
    expect(allowances.waitMs(poller)).toBe(30_000);
  });

  test('allows 100,000 events a day', () => {
    const { clock, allowances } = start();
    let read = 0;
    for (let minutes = 0; minutes < 100; minutes++) {
      expect(allowances.waitMs(poller)).toBe(0);
      allowances.received(poller, { events: 1_000, bytes: mib });
      read += 1_000;
      clock.now += minute;
    }
    expect(read).toBe(100_000);
    allowances.received(poller, { events: 20_000, bytes: 0 });
    expect(allowances.waitMs(poller)).toBeGreaterThan(minute);
    clock.now += day;
    expect(allowances.waitMs(poller)).toBe(0);
  });

  test('limits all pollers of an account to four times as much a minute, and no other account', () => {
    const { allowances } = start();
    for (let number = 0; number < 5; number++) {
      allowances.received({ account: 'a', id: `p${number}` }, { events: 1_000, bytes: 0 });
    }
    expect(allowances.waitMs({ account: 'a', id: 'new' })).toBe(15_000);
    expect(allowances.waitMs({ account: 'b', id: 'other' })).toBe(0);
  });

  test('limits the stored bytes of an account a day', () => {
    const { clock, allowances } = start({ bytesPerDay: 10 * mib });
    expect(allowances.mayStore(poller, mib)).toBe(true);
    allowances.stored(poller, 11 * mib);
    expect(allowances.mayStore(poller, 1)).toBe(false);
    expect(allowances.waitMs({ account: 'a', id: 'new' })).toBe(0.2 * day);
    clock.now += day;
    expect(allowances.mayStore(poller, mib)).toBe(true);
  });

  test('does not wait longer after the clock was set back', () => {
    const { clock, allowances } = start();
    allowances.received(poller, { events: 1_100, bytes: 0 });
    clock.now -= day;
    expect(allowances.waitMs(poller)).toBe(6_000);
  });
});

describe('fullPagePauseMs', () => {
  test('grows after the first full pages, and allows 1,000 events a minute', () => {
    const pauses = Array.from({ length: 20 }, (_, at) => fullPagePauseMs(at + 1, 100, 1_000));
    expect(pauses.slice(0, 9)).toEqual([0, 0, 0, 0, 0, 100, 200, 400, 800]);
    expect(pauses.at(-1)).toBe(3_000);
  });
});

describe('AccountBackoff', () => {
  test('after refused responses, doubles the pause of an account up to ten minutes, and shares it between its pollers', () => {
    let now = 0;
    const refused = new AccountBackoff(() => now);
    expect([1, 2, 3, 4].map(() => refused.afterRefusal('a', 1))).toEqual([1_000, 3_000, 7_000, 15_000]);
    expect(refused.afterRefusal('b', 1)).toBe(1_000);
    for (let number = 0; number < 20; number++) refused.afterRefusal('a', 1);
    expect(refused.afterRefusal('a', 1)).toBe(3_600_000);
    now += 24 * 3_600_000;
    expect(refused.afterRefusal('a', 1)).toBe(1_000);
  });

  test('after failures, allows one request a second for all failing pollers of an account', () => {
    let now = 0;
    const failed = new AccountBackoff(() => now);
    expect([1, 2, 3].map(() => failed.afterFailure('a'))).toEqual([1_000, 2_000, 3_000]);
    expect(failed.afterFailure('b')).toBe(1_000);
    now += 10_000;
    expect(failed.afterFailure('a')).toBe(1_000);
  });
});
