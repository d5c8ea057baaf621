import { expect, test } from 'vitest';
import { abortSignalOf, Cancellation } from '../../../src/shared/runtime/cancellation.ts';

test('calls each listener once, except those that were removed', () => {
  const cancellation = new Cancellation();
  const heard: string[] = [];
  const removed = () => heard.push('removed');
  cancellation.addEventListener('abort', () => heard.push(`first, aborted ${cancellation.aborted}`));
  cancellation.addEventListener('abort', removed);
  cancellation.addEventListener('abort', () => heard.push('second'));
  cancellation.removeEventListener('abort', removed);
  expect(cancellation.aborted).toBe(false);
  cancellation.abort();
  cancellation.abort();
  expect(heard).toEqual(['first, aborted true', 'second']);
});

test('becomes an AbortSignal, before and after it is aborted', () => {
  const cancellation = new Cancellation();
  const before = abortSignalOf(cancellation);
  expect(before.aborted).toBe(false);
  cancellation.abort();
  expect([before.aborted, abortSignalOf(cancellation).aborted]).toEqual([true, true]);
  expect(abortSignalOf(before)).toBe(before);
});
