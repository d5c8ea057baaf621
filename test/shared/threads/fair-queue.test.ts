import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairQueue } from '../../../src/shared/threads/fair-queue.ts';

const usual = { running: 2, runningOfAccount: 1, waiting: 100, waitingOfAccount: 20 };

/** Runs tasks that continue until they are ended, and records which ones have started. */
function harness(limits = usual) {
  const queue = new FairQueue(limits);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    queue,
    started,
    run: (account: string, name: string, { weight = 1, signal = null as AbortSignal | null } = {}) =>
      queue.run({ account, weight, signal }, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name: string) {
      ends.get(name)?.();
      await setImmediate();
    },
  };
}

test('an account uses only its share, and accounts that wait take turns', async () => {
  const { run, started, end } = harness();
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => run(name.charAt(0), name));
  await setImmediate();
  expect(started).toEqual(['a1', 'b1']);
  await end('b1');
  await end('a1');
  await end('b2');
  expect(started).toEqual(['a1', 'b1', 'b2', 'a2', 'c1']);
  for (const name of ['a2', 'c1', 'a3', 'a4']) await end(name);
  expect(await Promise.all(all)).toHaveLength(7);
});

test('waiting tasks are limited for an account (429) and for all of them (503); a single task is always accepted', async () => {
  const { run } = harness({ ...usual, waiting: 50 });
  void run('a', 'a1');
  void run('a', 'a2', { weight: 30 });
  await expect(run('a', 'a3')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 });
  void run('b', 'b1');
  void run('b', 'b2', { weight: 20 });
  await expect(run('c', 'c1')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
});

test('a task whose caller has disconnected leaves the queue', async () => {
  const { run, started, end } = harness();
  const gone = new AbortController();
  const first = run('a', 'a1');
  const second = run('a', 'a2', { weight: 20, signal: gone.signal });
  gone.abort();
  await expect(second).rejects.toMatchObject({ code: 'request_timeout' });
  const third = run('a', 'a3', { weight: 20 });
  await end('a1');
  await end('a3');
  expect(await Promise.all([first, third])).toEqual(started);
  expect(started).toEqual(['a1', 'a3']);
});

test('a failed task frees its place, and a closed queue refuses waiting and new tasks', async () => {
  const { queue, run, started } = harness();
  const place = { account: 'a', weight: 1, signal: null };
  await expect(queue.run(place, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  void run('a', 'a1');
  await setImmediate();
  expect(started).toEqual(['a1']);
  const waiting = run('a', 'a2');
  queue.close();
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  await expect(run('b', 'b1')).rejects.toMatchObject({ code: 'unavailable' });
});
