import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Runs `stop` after the current test. During the load of a file, runs it after all tests of the file. Does nothing in scripts, and in
 * concurrent tests, because Vitest does not know which of them is the current one. Both must call `stop` themselves.
 */
export function atEnd(stop: () => unknown): void {
  if (!('__vitest_worker__' in globalThis)) return;
  const test = TestRunner.getCurrentTest();
  if (test === undefined) afterAll(async () => void (await stop()));
  else if (!test.concurrent) onTestFinished(async () => void (await stop()));
}
