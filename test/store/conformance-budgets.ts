import { describe, expect, test } from 'vitest';
import { holdTtlMs, type LedgerCommit, type Store } from '../../src/store/port.ts';
import { commitUntilKnown } from './commit-until-known.ts';
import { makeCommit, type StoreTest } from './webhook-makers.ts';

const dayMs = 86_400_000;
const limit = 1_000;

/** Tests of commits with the daily budget of an API key. */
export function describeBudgets({ fixture, store }: StoreTest): void {
  describe('budgets of API keys', () => {
    let commits = 0;
    const commitTo = async (store: Store, writer: string, parts: Partial<LedgerCommit>, key: string | null = 'k') => {
      const budget = key !== null && { budget: { key, microsPerDay: limit } };
      const made = makeCommit(fixture, `budget-${++commits}`, { writer, ...budget, ...parts });
      const outcome = await commitUntilKnown(store, made);
      if (outcome.status !== 'applied') throw new Error(`the commit was ${outcome.status}`);
      return outcome;
    };
    const commit = (parts: Partial<LedgerCommit>, key?: string | null, writer = 'w') =>
      commitTo(store, writer, parts, key);
    const settlement = (micros: number) => ({ usage: [{ hour: 7, action: 'tweet/create', calls: 1, micros }] });
    const credit = (micros: number) => account(store, micros);

    test('limit what is reserved and charged for a key together, and no other key', async () => {
      await credit(100_000);
      expect((await commit({ begins: true, reserve: [600, 500, 400, 1] })).granted).toEqual([
        true,
        'over_budget',
        true,
        'over_budget',
      ]);
      await commit({ settle: [settlement(600)], release: 400 });
      expect((await commit({ begins: true, reserve: [401, 400] })).granted).toEqual(['over_budget', true]);
      expect((await commit({ begins: true, reserve: [limit] }, 'other', 'w2')).granted).toEqual([true]);
      expect((await commit({ begins: true, reserve: [50_000] }, null, 'w3')).granted).toEqual([true]);
    });

    test('are not exceeded by charges without a reservation, and a repeated commit has the same outcome', async () => {
      await credit(100_000);
      const parts = {
        id: 'late',
        begins: true,
        late: [settlement(700), settlement(400), settlement(300)],
        reserve: [1],
      };
      const first = await commit(parts);
      expect(first).toMatchObject({ late: ['charged', 'over_budget', 'charged'], granted: ['over_budget'] });
      expect(await commit(parts)).toEqual(first);
      expect((await store.ledger.balance('a'))?.charged).toBe(1_000);
    });

    test('a reservation without credit is short, although it is over the budget too', async () => {
      await credit(100);
      expect((await commit({ begins: true, reserve: [2_000] })).granted).toEqual([false]);
    });

    test('begin again every UTC day, with what is still reserved', async () => {
      await credit(100_000);
      await commit({ begins: true, reserve: [limit] });
      await commit({ settle: [settlement(700)] });
      expect((await commit({ reserve: [1] })).granted).toEqual(['over_budget']);
      fixture.leap(dayMs - (fixture.now() % dayMs));
      expect((await commit({ reserve: [701, 700] })).granted).toEqual(['over_budget', true]);
      await commit({ settle: [settlement(300)] });
      expect((await commit({ reserve: [1] })).granted).toEqual(['over_budget']);
    });

    test('do not begin again when the clock is set back over midnight and passes it again', async () => {
      await credit(100_000);
      fixture.leap(dayMs - (fixture.now() % dayMs));
      await commit({ begins: true, late: [settlement(limit)] });
      fixture.leap(-3_000);
      expect((await commit({ begins: true, reserve: [1] })).granted).toEqual(['over_budget']);
      fixture.leap(6_000);
      expect((await commit({ begins: true, reserve: [1] })).granted).toEqual(['over_budget']);
    });

    test('get back what a sweep returns', async () => {
      await credit(100_000);
      await commit({ begins: true, reserve: [limit] });
      expect((await commit({ begins: true, reserve: [1] }, 'k', 'w2')).granted).toEqual(['over_budget']);
      fixture.leap(holdTtlMs);
      expect(await store.ledger.sweep()).toBe(1);
      expect((await commit({ begins: true, reserve: [limit] }, 'k', 'w2')).granted).toEqual([true]);
    });

    test('hold for processes that commit at the same time', async () => {
      await credit(100_000);
      const processes = [store, await fixture.open()];
      const asked = Array.from({ length: 20 }, (_, at) =>
        commitTo(processes[at % 2] ?? store, `writer-${at}`, { begins: true, reserve: [100] }),
      );
      const granted = (await Promise.all(asked)).flatMap((outcome) => outcome.granted);
      expect(granted.filter((one) => one === true)).toHaveLength(10);
      expect(granted.filter((one) => one === 'over_budget')).toHaveLength(10);
    });
  });
}

async function account(store: Store, micros: number): Promise<void> {
  await store.accounts.create({ id: 'a', name: 'A', createdAt: 1 });
  await store.ledger.topUp({ id: 'p', account: 'a', micros, description: '', createdAt: 1 });
}
