import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { PollerRecord, Store } from '../../src/store/port.ts';
import { PollerRun } from '../../src/webhooks/delivery/poller-run.ts';
import { ResultWriter } from '../../src/webhooks/delivery/result-writer.ts';
import { result } from '../store/webhook-makers.ts';
import { allowances, monitor, vault } from './poller-parts.ts';

const poller = { account: 'acc', id: 'poller', fence: 1, stopped: null } as PollerRecord;

/** A writer on a store whose commits end when the test says so. */
function makeWriter() {
  const commits: { events: string[]; end: (error?: Error) => void }[] = [];
  const finish: Store['deliveries']['finish'] = (_poller, results) =>
    new Promise((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve('noted'));
      commits.push({ events: results.map(({ event }) => event), end });
    });
  const store = { deliveries: { finish } } as unknown as Store;
  const run = new PollerRun(poller, { store, vault, runtime: systemRuntime, monitor });
  const writer = new ResultWriter(run, allowances);
  return { write: (event: number) => writer.write(result(String(event), 'delivered')), writer, commits };
}

async function untilCommits(commits: readonly unknown[], count: number): Promise<void> {
  while (commits.length < count) await sleep(5);
}

test('results that arrive together are stored in one commit, and results that arrive during a commit in the next one', async () => {
  const { write, commits } = makeWriter();
  const first = [1, 2, 3].map(write);
  await untilCommits(commits, 1);
  const second = [4, 5].map(write);
  await sleep(60);
  const third = write(6);
  expect(commits.map(({ events }) => events)).toEqual([['1', '2', '3']]);
  commits[0]?.end();
  await Promise.all(first);
  await untilCommits(commits, 2);
  expect(commits[1]?.events).toEqual(['4', '5', '6']);
  commits[1]?.end();
  await Promise.all([...second, third]);
});

test('a failed commit is repeated, and discarded after the writer has ended', async () => {
  const { write, writer, commits } = makeWriter();
  const stored = write(1);
  await untilCommits(commits, 1);
  commits[0]?.end(new Error('away'));
  await untilCommits(commits, 2);
  expect(commits[1]?.events).toEqual(['1']);
  writer.end();
  commits[1]?.end(new Error('away'));
  await stored;
  expect(commits).toHaveLength(2);
});
