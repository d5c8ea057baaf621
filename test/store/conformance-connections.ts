import { describe, expect, test } from 'vitest';
import {
  type ConnectionRecord,
  revocationTtlMs,
  type Store,
  type StoredConnection,
  unusedConnectionTtlMs,
} from '../../src/store/port.ts';
import { auditEntry, connection, ids, type StoreTest } from './webhook-makers.ts';

const limits = { most: 3, mostPending: 2 };

/** Tests of the guarantees for connections. */
export function describeConnections({ fixture, store }: StoreTest): void {
  const create = (id: string, parts: Partial<ConnectionRecord> = {}, given = limits) =>
    store.connections.create(connection(id, parts), given);
  const pending = (id: string, signInEndsAt = fixture.now() + 1_000) =>
    create(id, { status: 'pending', userId: null, login: null, signIn: 'sealed', signInEndsAt });
  const find = async (id: string, from: Store = store) => (await from.connections.find(id)) as StoredConnection;
  const listed = async (account = 'a') => ids(await store.connections.list(account, 10, null));

  describe('ConnectionStore', () => {
    test('finds complete records from every process, for any account', async () => {
      const full = connection('c1', {
        error: 'why',
        expiresAt: 7,
        lastUsedAt: 6,
        refreshing: { by: 'p', until: 5 },
        signIn: 'sealed sign-in',
        signInEndsAt: 8,
      });
      expect(await store.connections.create(full, limits)).toBe('created');
      expect(await find('c1', await fixture.open())).toEqual({ ...full, revision: 1 });
      expect(await store.connections.find('c2')).toBeNull();
    });

    test('returns created for an existing id without changing the record', async () => {
      await create('c1');
      expect(await create('c1', { status: 'revoked' }, { most: 0, mostPending: 0 })).toBe('created');
      expect(await find('c1')).toMatchObject({ status: 'active', revision: 1 });
    });

    test('refuses creations above the limits of the account', async () => {
      expect([await pending('c1'), await pending('c2'), await pending('c3')]).toEqual([
        'created',
        'created',
        'too_many_pending',
      ]);
      expect([await create('c3'), await create('c4'), await pending('c5')]).toEqual([
        'created',
        'too_many',
        'too_many',
      ]);
      expect(await create('other', { account: 'b' })).toBe('created');
      fixture.leap(1_001);
      expect(
        await create('c4', { status: 'pending', signInEndsAt: fixture.now() + 1 }, { most: 4, mostPending: 1 }),
      ).toBe('created');
    });

    test('enforces the limit for concurrent creations of two processes', async () => {
      await store.accounts.create({ id: 'a', name: 'A', createdAt: 1 });
      const stores = [store, await fixture.open()];
      const created = await Promise.all(
        Array.from({ length: 12 }, (_, at) => stores[at % 2]?.connections.create(connection(`c${at}`), limits)),
      );
      expect(created.filter((one) => one === 'created')).toHaveLength(3);
      expect(await listed()).toHaveLength(3);
    });

    test('deletes unused connections on the creation a day after their sign-in', async () => {
      await pending('c1');
      await create('c2', { status: 'failed', userId: null, login: null, createdAt: fixture.now() });
      await create('c3', { status: 'expired', signInEndsAt: 1 });
      expect(await create('c4')).toBe('too_many');
      fixture.leap(unusedConnectionTtlMs + 1_001);
      expect(await create('c4')).toBe('created');
      expect((await listed()).toSorted()).toEqual(['c3', 'c4']);
    });

    test('lists by account, oldest first, then by id', async () => {
      const many = { most: 9, mostPending: 9 };
      for (const [id, createdAt] of [
        ['c3', 2],
        ['c2', 2],
        ['c1', 3],
      ] as const)
        await create(id, { createdAt }, many);
      await create('b1', { account: 'b' });
      expect(await listed()).toEqual(['c2', 'c3', 'c1']);
      expect(ids(await store.connections.list('a', 1, { createdAt: 2, id: 'c2' }))).toEqual(['c3']);
      expect(ids(await store.connections.listAll(2))).toEqual(['b1', 'c1']);
      expect(ids(await store.connections.listAll(9, 'c1'))).toEqual(['c2', 'c3']);
    });

    test('replaces only the revision that was read, with the audit entry and the event', async () => {
      await create('c1');
      const read = await find('c1');
      const changed = { ...read, status: 'expired', error: 'why', account: 'x', createdAt: 9, lastUsedAt: 9 } as const;
      const entry = auditEntry('e', { at: fixture.now() });
      const event = { id: 'v1', account: 'a', type: 'connection.expired', sealed: 'body' };
      const replaced = await store.connections.replace(changed, entry, event);
      expect(replaced).toEqual({ ...read, status: 'expired', error: 'why', revision: 2 });
      expect(await find('c1', await fixture.open())).toEqual(replaced);
      const late = { ...event, id: 'v2' };
      expect(await store.connections.replace(read, auditEntry('f', { at: fixture.now() }), late)).toBeNull();
      expect(await store.connections.replace(connectionOf('none'))).toBeNull();
      expect(await find('c1')).toEqual(replaced);
      expect(ids(await store.audit.list('a', 10))).toEqual(['e']);
      expect(await store.accountEvents.waiting(9)).toMatchObject([event]);
    });

    test('replaces once for concurrent writes of two processes', async () => {
      await create('c1');
      const [read, other] = [await find('c1'), await fixture.open()];
      const writes = [store, other, store, other].map((by, at) => by.connections.replace({ ...read, error: `${at}` }));
      expect((await Promise.all(writes)).filter((one) => one !== null)).toHaveLength(1);
      expect((await find('c1')).revision).toBe(2);
    });

    test('keeps the latest use across replacements', async () => {
      await create('c1');
      const read = await find('c1');
      await store.connections.touch([]);
      await store.connections.touch([
        { id: 'c1', at: 50 },
        { id: 'none', at: 50 },
      ]);
      await store.connections.touch([{ id: 'c1', at: 40 }]);
      expect(await store.connections.replace({ ...read, error: 'why' })).toMatchObject({ lastUsedAt: 50, revision: 2 });
    });

    test('lists deleted connections for revocation, oldest first', async () => {
      for (const id of ['c1', 'c2', 'c3']) await create(id);
      const goneAt = fixture.now() + revocationTtlMs;
      const mark = async (id: string, inMs: number) =>
        store.connections.replace({ ...(await find(id)), revokeAt: fixture.now() + inMs, goneAt });
      await mark('c1', 0);
      await mark('c2', -1);
      await mark('c3', 500);
      expect(await listed()).toEqual([]);
      expect(await create('c4')).toBe('created');
      expect(ids(await store.connections.listAll(9))).toEqual(['c1', 'c2', 'c3', 'c4']);
      expect(ids(await store.connections.toRevoke(10))).toEqual(['c2', 'c1']);
      expect(ids(await store.connections.toRevoke(1))).toEqual(['c2']);
      fixture.leap(500);
      await store.connections.remove('c1');
      await store.connections.remove('c1');
      expect(ids(await store.connections.toRevoke(10))).toEqual(['c2', 'c3']);
      expect(await find('c2')).toMatchObject({ goneAt });
    });

    test('erases an account: keeps logins until their revocation, and deletes the others', async () => {
      await create('c1', { signIn: 'sealed', signInEndsAt: 1 });
      await pending('c2');
      await create('b1', { account: 'b' });
      expect(await store.accounts.erase('a')).toBe(2);
      expect(await store.accounts.erase('a')).toBe(0);
      const [marked] = await store.connections.toRevoke(10);
      const at = { revokeAt: expect.any(Number), goneAt: (marked?.revokeAt ?? 0) + revocationTtlMs };
      const erased = { userId: null, signIn: null, signInEndsAt: null };
      expect(marked).toEqual({ ...connection('c1'), ...at, ...erased, revision: 2 });
      expect(ids(await store.connections.listAll(9))).toEqual(['b1', 'c1']);
      expect(await listed('b')).toEqual(['b1']);
    });

    test('samples and discards their sealed texts', async () => {
      await create('c1');
      await pending('c2');
      expect((await store.secretCheck.samples()).toSorted()).toEqual(['sealed', 'sealed login of c1']);
      await store.accountEvents.add({ id: 'evt_1', account: 'a', type: 'connection.expired', sealed: 'sealed' });
      await store.secretCheck.discardSealed();
      expect(await store.accountEvents.waiting(1)).toEqual([]);
      expect(await store.connections.listAll(9)).toEqual([]);
    });
  });
}

const connectionOf = (id: string): StoredConnection => ({ ...connection(id), revision: 1 });
