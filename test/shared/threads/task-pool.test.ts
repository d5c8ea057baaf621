import { expect, test } from 'vitest';
import { TaskLimitError, TaskPool, type TaskPoolOptions } from '../../../src/shared/threads/task-pool.ts';
import { AdjustableRuntime } from '../../support/adjustable-runtime.ts';
import { atEnd } from '../../support/at-end.ts';

const timeLimitMs = 3_600_000;
const runtime = new AdjustableRuntime();
// Another test file of this process may have set it, for a folder that is gone.
delete process.env['TASK_LOG'];

function poolWith(options: Partial<TaskPoolOptions> = {}): TaskPool {
  const worker = new URL('../../support/watched-task-worker.mjs', import.meta.url);
  const pool = new TaskPool({ runtime, worker, threads: 2, timeLimitMs, ...options });
  atEnd(() => pool.close());
  return pool;
}

const task = {
  name: 'readMarkdown',
  inlineUpTo: 0,
  run: (): unknown => {
    throw new Error('this ran on the calling thread');
  },
};
const run = (pool: TaskPool, account: string, text: string) =>
  pool.forCall({ account, signal: null }).run(task, { text });

test('a task over its time limit is stopped, and the pool goes on', async () => {
  const pool = poolWith();
  const hanging = run(pool, 'a', 'hang readMarkdown').catch((error: unknown) => error);
  await run(pool, 'b', 'fine');
  runtime.leap(timeLimitMs);
  expect(await hanging).toBeInstanceOf(TaskLimitError);
  expect(await run(pool, 'a', 'fine')).toMatchObject({ pictures: [] });
});

test('an account whose tasks hang keeps no other one waiting', async () => {
  const pool = poolWith();
  const hanging = [1, 2, 3].map(() => run(pool, 'a', 'hang readMarkdown').catch((error: unknown) => error));
  expect(await run(pool, 'b', 'fine')).toMatchObject({ pictures: [] });
  await pool.close();
  expect(await Promise.all(hanging)).toMatchObject([1, 2, 3].map(() => ({ code: 'unavailable' })));
});

test('a pool that is closed with tasks in flight ends them', async () => {
  const pool = poolWith();
  const [running, waiting] = [1, 2].map(() => run(pool, 'a', 'hang readMarkdown').catch((error: unknown) => error));
  await run(pool, 'b', 'fine');
  await pool.close();
  expect([await running, await waiting]).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }]);
  await expect(run(pool, 'b', 'fine')).rejects.toMatchObject({ code: 'unavailable' });
});

test('a thread whose module cannot be loaded is reported, and its task ends at the limit', async () => {
  const errors: unknown[] = [];
  const worker = new URL('../support/no-such-module.mjs', import.meta.url);
  const pool = poolWith({ worker, onError: (error) => void errors.push(error) });
  const waiting = run(pool, 'a', 'fine').catch((error: unknown) => error);
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  runtime.leap(timeLimitMs);
  expect(await waiting).toBeInstanceOf(TaskLimitError);
});

test('a text that a task allows on the calling thread runs there', async () => {
  const pool = poolWith();
  const inline = { name: 'none', inlineUpTo: 4, run: ({ text }: { text: string }) => text.length };
  expect(await pool.forCall({ account: 'a', signal: null }).run(inline, { text: 'four' })).toBe(4);
});
