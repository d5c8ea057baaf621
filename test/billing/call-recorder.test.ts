import { expect, test } from 'vitest';
import { CallRecorder } from '../../src/billing/call-recorder.ts';
import { type CallStatistics, StoreUnavailableError } from '../../src/store/port.ts';

const hourMs = 3_600_000;

function setUp() {
  const batches: CallStatistics[][] = [];
  const errors: unknown[] = [];
  const state = { now: 10 * hourMs, isAway: false };
  const recorder = new CallRecorder({
    storeNow: () => state.now,
    onError: (error) => errors.push(error),
    store: {
      async add(statistics) {
        if (state.isAway) throw new StoreUnavailableError('away');
        batches.push(structuredClone([...statistics]));
      },
      list: async () => [],
    },
  });
  return { recorder, batches, errors, state };
}

test('calls are written in one batch, by account, action and hour of the store', async () => {
  const { recorder, batches, state } = setUp();
  recorder.succeeded('a', 'user/info', 1);
  recorder.succeeded('a', 'user/info', 2);
  recorder.failed('a', 'user/info', 'rate_limited');
  recorder.failed('b', 'graphql', 'too_costly');
  state.now += hourMs;
  recorder.succeeded('a', 'user/info', 1);
  await recorder.flush();
  await recorder.flush();
  expect(batches).toEqual([
    [
      { account: 'a', hour: 10, action: 'user/info', errors: { rate_limited: 1 }, durations: { 0: 1, 8: 1 } },
      { account: 'b', hour: 10, action: 'graphql', errors: { too_costly: 1 }, durations: {} },
      { account: 'a', hour: 11, action: 'user/info', errors: {}, durations: { 0: 1 } },
    ],
  ]);
});

test('a batch that could not be written is part of the next one', async () => {
  const { recorder, batches, errors, state } = setUp();
  recorder.succeeded('a', 'user/info', 1);
  state.isAway = true;
  const failing = recorder.flush();
  recorder.succeeded('a', 'user/info', 1);
  recorder.failed('a', 'user/me', 'unavailable');
  await failing;
  expect(errors).toHaveLength(1);
  state.isAway = false;
  await recorder.flush();
  expect(batches.flat().map(({ action, durations, errors: failed }) => [action, durations, failed])).toEqual([
    ['user/info', { 0: 2 }, {}],
    ['user/me', {}, { unavailable: 1 }],
  ]);
});

test('the memory for rows is bounded while the store is away, and rows that exist go on counting', async () => {
  const { recorder, batches, state } = setUp();
  state.isAway = true;
  for (let at = 0; at < 10_000; at++) {
    recorder.failed(`account ${at}`, 'user/info', 'unavailable');
    if (at % 500 === 0) await recorder.flush();
  }
  recorder.failed('account 0', 'user/info', 'unavailable');
  state.isAway = false;
  await recorder.flush();
  const rows = batches.flat();
  expect(rows.length).toBeLessThanOrEqual(2_000);
  expect(rows.find(({ account }) => account === 'account 0')?.errors).toEqual({ unavailable: 2 });
});

test('many rows are written before the batch is due', async () => {
  const { recorder, batches } = setUp();
  for (let at = 0; at < 1_000; at++) recorder.failed(`account ${at}`, 'user/info', 'bad_input');
  await expect.poll(() => batches.length).toBe(1);
});
