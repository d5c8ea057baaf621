import { expect, test } from 'vitest';
import { maxAppendChars, splitForAppend } from '../../src/webhooks/shared/stored-event.ts';

const event = (id: string, length: number) => ({ id, sealed: 'x'.repeat(length) });

test('a page of large messages is appended in order, in parts that the store accepts', () => {
  const page = Array.from({ length: 100 }, (_, index) => [event(String(index), 400_000)]);
  const parts = splitForAppend(page);
  expect(parts.flat()).toEqual(page.flat());
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part.reduce((sum, { sealed }) => sum + sealed.length, 0)).toBeLessThanOrEqual(maxAppendChars);
  }
});

test('a small or empty page is one part, and an event that is too large is a part of its own', () => {
  expect(splitForAppend([])).toEqual([[]]);
  const [small, large] = [event('1', 10), event('2', maxAppendChars + 1)];
  expect(splitForAppend([[small], [small]])).toEqual([[small, small]]);
  expect(splitForAppend([[small], [large], [small]])).toEqual([[small], [large], [small]]);
});

test('splitForAppend: keeps the events of a group in one part', () => {
  const half = event('1', maxAppendChars / 2);
  expect(splitForAppend([[half], [half, half]])).toEqual([[half], [half, half]]);
});
