import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Runs `stop` after the running test, or after all tests of the file if it is called while the file loads. Does nothing in concurrent tests,
 * which must stop what they start, because Vitest does not know which of them runs.
 */
export function atEnd(stop: () => unknown): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) afterAll(async () => void (await stop()));
  else if (!test.concurrent) onTestFinished(async () => void (await stop()));
}
