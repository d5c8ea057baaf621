import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Runs `stop` after the running test, or after all tests of the file if it is called while the file loads. Does nothing in concurrent tests,
 * because Vitest does not know which of them runs, and in scripts. They must stop what they start.
 */
export function atEnd(stop: () => unknown): void {
  if (!('__vitest_worker__' in globalThis)) return;
  const test = TestRunner.getCurrentTest();
  if (test === undefined) afterAll(async () => void (await stop()));
  else if (!test.concurrent) onTestFinished(async () => void (await stop()));
}
