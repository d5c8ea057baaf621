import { describe, expect, test } from 'vitest';
import { type CallStatistics, statisticsTtlMs } from '../../src/store/port.ts';
import type { StoreTest } from './webhook-makers.ts';

/** Tests of the statistics of calls. */
export function describeStatistics({ fixture, store }: StoreTest): void {
  const hourMs = 3_600_000;
  const start = Math.floor(Date.now() / hourMs);
  const counted = (parts: Partial<CallStatistics> = {}): CallStatistics => ({
    account: 'a',
    hour: start + 10,
    action: 'tweet/create',
    errors: {},
    durations: {},
    ...parts,
  });

  describe('statistics of calls', () => {
    test('add up by account, hour and action, through every handle and if several processes add at once', async () => {
      const [one, two] = [store.statistics, (await fixture.open()).statistics];
      const added = counted({ errors: { rate_limited: 2 }, durations: { 0: 1, 41: 3 } });
      await Promise.all([one, two, one].map((statistics) => statistics.add([added])));
      await two.add([counted({ errors: { not_found: 1 }, durations: { 160: 1 } })]);
      expect(await one.list('a', start, start + 100)).toEqual([
        counted({ errors: { rate_limited: 6, not_found: 1 }, durations: { 0: 3, 41: 9, 160: 1 } }),
      ]);
    });

    test('are listed for one account and some hours, ordered by hour, then by action', async () => {
      const { statistics } = store;
      const durations = { 7: 1 };
      await statistics.add([
        counted({ hour: start + 12, durations }),
        counted({ hour: start + 11, action: 'user/info', durations }),
        counted({ hour: start + 11, durations }),
        counted({ hour: start + 13, durations }),
        counted({ hour: start + 9, durations }),
        counted({ account: 'b', hour: start + 11, errors: { bad_input: 1 } }),
      ]);
      await statistics.add([]);
      expect(
        (await statistics.list('a', start + 10, start + 13)).map(({ hour, action }) => [hour - start, action]),
      ).toEqual([
        [11, 'tweet/create'],
        [11, 'user/info'],
        [12, 'tweet/create'],
      ]);
      expect(await statistics.list('b', start, start + 100)).toEqual([
        counted({ account: 'b', hour: start + 11, errors: { bad_input: 1 } }),
      ]);
      expect(await statistics.list('c', start, start + 100)).toEqual([]);
    });

    test('are stored for 400 days', async () => {
      const hour = Math.floor(store.now() / hourMs);
      await store.statistics.add([counted({ hour }), counted({ hour: hour + 2 })]);
      const hours = async () => (await store.statistics.list('a', 0, hour + 3)).map((one) => one.hour);
      fixture.leap(statisticsTtlMs);
      await store.ledger.sweep();
      expect(await hours()).toEqual([hour, hour + 2]);
      fixture.leap(2 * hourMs);
      expect(await hours()).toEqual([hour + 2]);
      await store.ledger.sweep();
      fixture.leap(-2 * hourMs);
      // MongoDB deletes expired documents itself, within a minute of the server's clock.
      expect(await hours()).toEqual(store.kind === 'sqlite' ? [hour + 2] : [hour, hour + 2]);
    });
  });
}
