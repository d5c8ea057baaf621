import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runInGroups, runInTurn, turn } from '../../../src/shared/runtime/turns.ts';

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('tasks that come together are spread over turns of the event loop, in their order', async () => {
  await nextTurn();
  const turnOf: number[] = [];
  let turns = 0;
  const counting = async () => {
    while (turnOf.length < 20) {
      await nextTurn();
      turns += 1;
    }
  };
  const counted = counting();
  const order: number[] = [];
  for (let i = 0; i < 20; i++) {
    runInTurn(() => {
      work(4);
      order.push(i);
      turnOf.push(turns);
    });
  }
  expect(order.length).toBeLessThan(20);
  await counted;
  expect(order).toEqual([...Array(20).keys()]);
  for (const each of new Set(turnOf)) expect(turnOf.filter((one) => one === each).length).toBeLessThanOrEqual(4);
});

test('a task that comes alone runs at once', async () => {
  await nextTurn();
  await nextTurn();
  let ran = false;
  runInTurn(() => {
    ran = true;
  });
  expect(ran).toBe(true);
  await turn();
});

test('callers that are answered together do their work in order and in groups, spread over turns of the event loop', async () => {
  await nextTurn();
  let turns = 0;
  let done = false;
  const counting = (async () => {
    while (!done) {
      await nextTurn();
      turns += 1;
    }
  })();
  const finished: { caller: number; turn: number }[] = [];
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    await new Promise<void>((resolve) => runInGroups(resolve));
    // Like a real caller, the work begins after several promises.
    for (let hops = 0; hops < 5; hops++) await null;
    work(4);
    finished.push({ caller, turn: turns });
  });
  await Promise.all(callers);
  done = true;
  await counting;
  expect(finished.map(({ caller }) => caller)).toEqual([...Array(20).keys()]);
  for (const { turn: each } of finished) {
    expect(finished.filter((one) => one.turn === each).length).toBeLessThanOrEqual(8);
  }
});
