import { describe, expect, test } from 'vitest';
import { type AuditEntry, auditTtlMs } from '../../src/store/port.ts';
import { apiKey, auditEntry, poller, type StoreTest, webhook } from './webhook-makers.ts';

/** Tests of the audit log. */
export function describeAudit({ fixture, store }: StoreTest): void {
  const start = Date.now();
  const entry = (id: string, parts: Partial<AuditEntry> = {}) => auditEntry(id, { at: start, ...parts });
  const ids = async (account = 'a') => (await store.audit.list(account, 100)).map(({ id }) => id);
  const payment = (id: string) => ({ id, account: 'a', micros: 1, description: '', createdAt: 1 });

  describe('the audit log', () => {
    test('has the entry of every change that was made, and of no other', async () => {
      await store.accounts.create({ id: 'a', name: 'A', createdAt: 1 });
      await store.keys.create(apiKey('k1'), entry('01 created'));
      await store.keys.create(apiKey('k1'), entry('exists'));
      await store.keys.createWithin(apiKey('k2'), 2, entry('02 created'));
      await store.keys.createWithin(apiKey('k2'), 2, entry('exists'));
      await store.keys.createWithin(apiKey('k3'), 2, entry('too many'));
      await store.keys.revoke('k1', 5, entry('03 revoked', { action: 'key.revoked', by: { type: 'operator' } }));
      await store.keys.revoke('k1', 6, entry('revoked before'));
      await store.keys.revoke('k9', 6, entry('unknown'));
      await store.ledger.topUp(payment('p'), entry('04 paid'));
      await store.ledger.topUp(payment('p'), entry('paid before'));
      await store.ledger.topUp({ ...payment('q'), account: 'nobody' }, entry('no account'));
      const made = webhook('w');
      await store.webhooks.create(made, poller(), 1, entry('05 webhook'));
      await store.webhooks.create(webhook('w2'), poller(), 1, entry('too many webhooks'));
      await store.webhooks.update(made, undefined, entry('06 updated'));
      await store.webhooks.update(made, undefined, entry('outdated'));
      await store.webhooks.remove('a', 'w', entry('07 removed'));
      await store.webhooks.remove('a', 'w', entry('removed before'));
      await store.accounts.setRateLimit('a', 60, entry('08 limit'));
      await store.accounts.setRateLimit('a', 60, entry('limit as before'));
      await store.accounts.setRateLimit('nobody', 60, entry('no account'));
      await store.accounts.setLowCreditThreshold('a', null, entry('no threshold as before'));
      await store.accounts.setLowCreditThreshold('a', 5_000_000_000, entry('09 threshold'));
      await store.accounts.setLowCreditThreshold('a', 5_000_000_000, entry('threshold as before'));
      await store.accounts.rename('a', 'another name', entry('10 renamed'));
      await store.accounts.rename('a', 'another name', entry('name as before'));
      expect(await ids()).toEqual([
        ...['10 renamed', '09 threshold', '08 limit'],
        ...['07 removed', '06 updated', '05 webhook', '04 paid', '03 revoked', '02 created', '01 created'],
      ]);
      expect((await store.audit.list('a', 100)).at(-3)).toEqual(
        entry('03 revoked', { action: 'key.revoked', by: { type: 'operator' } }),
      );
    });

    test('is read newest first, page by page, by account', async () => {
      const times = [3, 1, 2, 2];
      for (const [index, at] of times.entries())
        await store.keys.create(apiKey(`k${index}`), entry(`e${index}`, { at: start + at }));
      await store.keys.create(apiKey('of b'), entry('other', { account: 'b' }));
      expect(await ids()).toEqual(['e0', 'e3', 'e2', 'e1']);
      expect((await store.audit.list('a', 2)).map(({ id }) => id)).toEqual(['e0', 'e3']);
      expect((await store.audit.list('a', 2, { at: start + 2, id: 'e3' })).map(({ id }) => id)).toEqual(['e2', 'e1']);
      expect(await store.audit.list('a', 0)).toEqual([]);
      expect(await ids('b')).toEqual(['other']);
    });

    test('loses entries after 400 days', async () => {
      const at = store.now() + 60_000;
      await store.keys.create(apiKey('old'), entry('old', { at }));
      await store.keys.create(apiKey('new'), entry('new', { at: at + 120_000 }));
      fixture.leap(auditTtlMs);
      expect(await ids()).toEqual(['new', 'old']);
      fixture.leap(120_000);
      expect(await ids()).toEqual(['new']);
    });
  });
}
