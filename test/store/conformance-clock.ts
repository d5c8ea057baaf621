import { describe, expect, test } from 'vitest';
import { ids, makeCommit, poller, running, type StoreTest, webhook } from './webhook-makers.ts';

const hourMs = 3_600_000;

/** Tests that a store works when its clock is set back. */
export function describeClock({ fixture, store }: StoreTest): void {
  describe('a clock that is set back an hour', () => {
    test('leaves no dead process alive', async () => {
      await store.processes.beat('dead');
      fixture.leap(-hourMs);
      expect(await store.processes.beat('p1')).toBe(1);
    });

    test('leaves pollers to live processes', async () => {
      await running(store, ['w1'], { process: 'dead' });
      fixture.leap(-hourMs);
      expect(await store.pollers.beat('two')).toBe(1);
      expect(ids(await store.pollers.claim('two', 10))).toEqual(['p1']);
    });

    test('frees the Idempotency-Keys and the credit of dead processes', async () => {
      const claim = { account: 'a', key: 'k', owner: 'dead', fingerprints: ['f'] };
      await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
      await store.ledger.topUp({ id: 'p', account: 'a', micros: 1_000, description: 'Credit', createdAt: 1 });
      await store.idempotency.claim(claim);
      await store.ledger.commit(makeCommit(fixture, 'dead', { begins: true, reserve: [400] }));
      fixture.leap(-hourMs);
      expect(await store.ledger.sweep()).toBe(1);
      expect(await store.ledger.balance('a')).toMatchObject({ avail: 1_000, held: 0 });
      expect(await store.idempotency.claim({ ...claim, owner: 'o2' })).toMatchObject({
        status: 'claimed',
        again: true,
      });
    });

    test('frees the handshakes of dead processes', async () => {
      await store.webhooks.create(webhook('w1'), poller(), 10);
      const lease = { account: 'a', webhook: 'w1', target: 'url' };
      await store.webhooks.beginHandshake({ ...lease, holder: 'dead' }, null);
      fixture.leap(-hourMs);
      expect(await store.webhooks.beginHandshake({ ...lease, holder: 'two' }, null)).toMatchObject({ holder: 'two' });
    });
  });
}
