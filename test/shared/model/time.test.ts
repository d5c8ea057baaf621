import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIsoTime, formatTweetTime } from '../../../src/shared/model/time.ts';

describe('the time of a tweet', () => {
  test.each([
    ['2026-11-21T09:26:41.999Z', 'Sat Nov 21 09:26:41 +0000 2026'],
    ['2026-01-01T00:00:00Z', 'Thu Jan 01 00:00:00 +0000 2026'],
    ['2024-02-29T23:59:59+02:00', 'Thu Feb 29 21:59:59 +0000 2024'],
    ['2025-12-31T23:30:00-05:00', 'Thu Jan 01 04:30:00 +0000 2026'],
  ])('%s is %s', (iso, text) => {
    expect(formatTweetTime(new Date(iso))).toBe(text);
  });

  test('has the shape of the contract and means the same second', () => {
    const day = fc.date({ min: new Date('2006-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (time) => {
        const text = formatTweetTime(time);
        expect(text).toMatch(/^(Sun|Mon|Tue|Wed|Thu|Fri|Sat) [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/);
        expect(Date.parse(text)).toBe(Math.floor(time.getTime() / 1_000) * 1_000);
      }),
    );
  });

  test('elsewhere is ISO 8601 with milliseconds', () => {
    expect(formatIsoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});
