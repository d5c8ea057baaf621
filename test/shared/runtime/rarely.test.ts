import { expect, test } from 'vitest';
import { cachedFor } from '../../../src/shared/runtime/cached-for.ts';
import { manualRuntime } from '../../store/manual-runtime.ts';

test('asks one at a time, however long it takes', async () => {
  const runtime = manualRuntime();
  const answers: ((answer: number) => void)[] = [];
  const ask = cachedFor(runtime, 1_000, () => new Promise<number>((resolve) => answers.push(resolve)));
  const first = ask();
  runtime.leap(5_000);
  const second = ask();
  expect(answers).toHaveLength(1);
  answers[0]?.(1);
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  runtime.leap(999);
  expect(await ask()).toBe(1);
});

test('asks once in an interval, and again after a fault', async () => {
  const runtime = manualRuntime();
  let asked = 0;
  const ask = cachedFor(runtime, 1_000, async () => {
    asked += 1;
    if (asked === 3) throw new Error('away');
    return asked;
  });
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  runtime.leap(999);
  expect(await ask()).toBe(1);
  runtime.leap(1);
  expect(await ask()).toBe(2);
  runtime.leap(1_000);
  await expect(ask()).rejects.toThrow('away');
  expect(await ask()).toBe(4);
  runtime.leap(-5_000);
  expect(await ask()).toBe(5);
});
