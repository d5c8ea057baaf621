import { describe, expect, test } from 'vitest';
import { apiKeyEntropyBytes, hashApiKey, makeApiKey } from '../../src/billing/api-key.ts';
import { ApiKeyAuthenticator } from '../../src/billing/api-key-authenticator.ts';
import { parseIpAddress } from '../../src/shared/model/ip-range.ts';
import type { KeyRestrictions } from '../../src/shared/model/key-restrictions.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { type KeyRecord, type KeyStore, StoreUnavailableError } from '../../src/store/port.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

/** A key store in memory that counts its calls and can be slow or unavailable. */
class FakeKeys implements KeyStore {
  readonly records = new Map<string, KeyRecord>();
  readonly touched: { id: string; at: number }[] = [];
  lookUps = 0;
  away = false;
  /** While it is set, results are delayed. They are read before the delay. */
  gate: Promise<void> | null = null;

  async findByHash(hash: string): Promise<KeyRecord | null> {
    this.lookUps++;
    if (this.away) throw new StoreUnavailableError('away');
    const record = this.records.get(hash);
    const answer = record ? { ...record } : null;
    await this.gate;
    return answer;
  }
  async touch(uses: readonly { id: string; at: number }[]): Promise<void> {
    if (this.away) throw new StoreUnavailableError('away');
    this.touched.push(...uses);
  }
  create = () => Promise.reject(new Error('not asked here'));
  createWithin = () => Promise.reject(new Error('not asked here'));
  find = () => Promise.reject(new Error('not asked here'));
  list = () => Promise.reject(new Error('not asked here'));
  revoke = () => Promise.reject(new Error('not asked here'));
}

const account = { name: '', createdAt: 0, rateLimit: null, lowCreditThreshold: null };

function makeRing(seed = 1) {
  const runtime = manualRuntime(seed);
  const store = new FakeKeys();
  const deleted = new Set<string>();
  const find = async (id: string) => (deleted.has(id) ? { ...account, id, deletedAt: 1 } : null);
  const authenticator = new ApiKeyAuthenticator({ keys: store, accounts: { find } }, runtime);
  const ring = {
    authenticate: (key: Secret, address = '192.0.2.1') =>
      authenticator.authenticate(key, () => parseIpAddress(address)),
    recall: (key: Secret, address = '192.0.2.1') => authenticator.recall(key, () => parseIpAddress(address)),
    flushUses: () => authenticator.flushUses(),
  };
  let made = 0;
  const newKey = (known = true, restrictions: KeyRestrictions | null = null) => {
    const key = makeApiKey(runtime.randomBytes(apiKeyEntropyBytes));
    const id = `key_${++made}`;
    const record = { id, account: `acc_${made}`, name: '', prefix: '', hash: hashApiKey(key), restrictions };
    if (known) store.records.set(record.hash, { ...record, createdAt: 0, lastUsedAt: null, revokedAt: null });
    return key;
  };
  const revoke = (key: Secret) => {
    const record = store.records.get(hashApiKey(key));
    if (record) record.revokedAt = runtime.now();
  };
  return { runtime, store, ring, newKey, revoke, deleted };
}

describe('a key that does not look like one', () => {
  test('is refused without asking the store', async () => {
    const { ring, store, newKey } = makeRing();
    const key = newKey().expose();
    for (const text of ['', 'x', key.slice(0, -1), `${key}0`, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`]) {
      await expect(ring.authenticate(new Secret(text))).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(store.lookUps).toBe(0);
  });
});

describe('a known key', () => {
  test('is looked up once in 5 s, however often it is used', async () => {
    const { ring, runtime, store, newKey } = makeRing();
    const key = newKey();
    for (let i = 0; i < 50; i++) {
      expect((await ring.authenticate(key)).account).toBe('acc_1');
      await runtime.advance(99);
    }
    expect(store.lookUps).toBe(1);
    await runtime.advance(100);
    await ring.authenticate(key);
    expect(store.lookUps).toBe(2);
  });

  test('is looked up once by callers who arrive together', async () => {
    const { ring, store, newKey } = makeRing();
    const key = newKey();
    const accounts = await Promise.all(Array.from({ length: 100 }, () => ring.authenticate(key)));
    expect(new Set(accounts.map(({ account }) => account))).toEqual(new Set(['acc_1']));
    expect(store.lookUps).toBe(1);
  });

  test('works no longer than 5 s after it was revoked, and stays refused', async () => {
    const { ring, runtime, newKey, revoke } = makeRing();
    const key = newKey();
    await ring.authenticate(key);
    revoke(key);
    await runtime.advance(4_999);
    await ring.authenticate(key);
    await runtime.advance(1);
    for (let i = 0; i < 5; i++) {
      await expect(ring.authenticate(key)).rejects.toThrow('it was revoked');
      await runtime.advance(3_000);
    }
  });

  test('works no longer than 5 s after its account was deleted', async () => {
    const { ring, runtime, newKey, deleted } = makeRing();
    const key = newKey();
    const { account } = await ring.authenticate(key);
    deleted.add(account);
    await runtime.advance(5_000);
    await expect(ring.authenticate(key)).rejects.toThrow('no such key');
  });

  test('works no longer than 5 s after it was revoked, though the store answers slowly and several wait', async () => {
    const { ring, runtime, store, newKey, revoke } = makeRing();
    const key = newKey();
    let open = () => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = ring.authenticate(key);
    await runtime.advance(1_000);
    revoke(key);
    await runtime.advance(3_000);
    const second = ring.authenticate(key);
    open();
    await Promise.all([first, second]);
    await runtime.advance(2_000);
    await expect(ring.authenticate(key)).rejects.toThrow('it was revoked');
  });

  test('works no longer although the clock is set back meanwhile', async () => {
    const { ring, runtime, newKey, revoke } = makeRing();
    const key = newKey();
    await ring.authenticate(key);
    revoke(key);
    runtime.leap(-3_600_000);
    await runtime.advance(5_000);
    await expect(ring.authenticate(key)).rejects.toThrow('it was revoked');
  });

  test('still works from the cache while the store is away, and is 503 when that is old', async () => {
    const { ring, runtime, store, newKey } = makeRing();
    const key = newKey();
    await ring.authenticate(key);
    store.away = true;
    await ring.authenticate(key);
    await runtime.advance(5_000);
    await expect(ring.authenticate(key)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    store.away = false;
    expect((await ring.authenticate(key)).account).toBe('acc_1');
  });
});

describe('an unknown key', () => {
  test('is remembered for 5 s, then looked up again and found', async () => {
    const { ring, runtime, store, newKey } = makeRing();
    const key = newKey(false);
    for (let i = 0; i < 10; i++) await expect(ring.authenticate(key)).rejects.toThrow('no such key');
    expect(store.lookUps).toBe(1);
    const hash = hashApiKey(key);
    const record = { id: 'late', account: 'acc_late', name: '', prefix: '', hash, restrictions: null, createdAt: 0 };
    store.records.set(hash, { ...record, lastUsedAt: null, revokedAt: null });
    await runtime.advance(5_000);
    expect((await ring.authenticate(key)).account).toBe('acc_late');
  });

  test('is forgotten in a flood of others, which pushes out no known key', async () => {
    const { ring, store, newKey } = makeRing();
    const known = newKey();
    await ring.authenticate(known);
    const unknown = Array.from({ length: 10_001 }, () => newKey(false));
    for (const key of unknown) await ring.authenticate(key).catch(() => {});
    expect(store.lookUps).toBe(10_002);
    await ring.authenticate(known);
    expect(store.lookUps).toBe(10_002);
    // The oldest entry was evicted, because the cache of unknown keys is limited.
    await ring.authenticate(unknown[0] ?? known).catch(() => {});
    expect(store.lookUps).toBe(10_003);
  });
});

describe('the last use of a key', () => {
  test('is noted at most once a minute, and kept while the store is away', async () => {
    const { ring, runtime, store, newKey } = makeRing();
    const key = newKey();
    const at = runtime.now();
    for (let i = 0; i < 30; i++) {
      await ring.authenticate(key);
      await runtime.advance(1_000);
    }
    store.away = true;
    await expect(ring.flushUses()).rejects.toThrow();
    store.away = false;
    await ring.flushUses();
    await ring.flushUses();
    expect(store.touched).toEqual([{ id: 'key_1', at }]);
    await runtime.advance(30_000);
    await ring.authenticate(key);
    await ring.flushUses();
    expect(store.touched).toHaveLength(2);
  });

  test('is not noted of a revoked key', async () => {
    const { ring, store, newKey, revoke } = makeRing();
    const key = newKey();
    revoke(key);
    await ring.authenticate(key).catch(() => {});
    await ring.flushUses();
    expect(store.touched).toEqual([]);
  });
});

const unlimited = { ipRanges: null, callsPerMinute: null, microsPerDay: null, expiresAt: null };
const restrictedTo = (parts: Partial<KeyRestrictions>) => ({ readOnly: false, groups: null, ...unlimited, ...parts });

describe('a key with restrictions', () => {
  test('is refused from its expiry on, although it is cached', async () => {
    const { ring, runtime, newKey } = makeRing();
    const key = newKey(true, restrictedTo({ expiresAt: runtime.now() + 1_000 }));
    await ring.authenticate(key);
    expect(ring.recall(key)).toBe('valid');
    await runtime.advance(1_000);
    await expect(ring.authenticate(key)).rejects.toMatchObject({ reason: 'key_expired', code: 'unauthenticated' });
    expect(ring.recall(key)).toBe('invalid');
  });

  test.each([
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['192.0.2.7'], '::ffff:192.0.2.7', true],
    [['2001:db8::/32'], '2001:db8:1::2', true],
    [['2001:db8::1'], '2001:db8::2', false],
    [['2001:db8::/32'], '192.0.2.1', false],
    [['198.51.100.1', '0.0.0.0/0'], '192.0.2.1', true],
    [['0.0.0.0/0', '::/0'], 'not an address', false],
  ])('and the ranges %j admits the address %s: %s', async (ipRanges, address, isAdmitted) => {
    const { ring, newKey } = makeRing();
    const key = newKey(true, restrictedTo({ ipRanges }));
    const asked = ring.authenticate(key, address);
    if (isAdmitted) await asked;
    else await expect(asked).rejects.toMatchObject({ reason: 'key_address_not_allowed', code: 'forbidden' });
    expect(ring.recall(key, address)).toBe(isAdmitted ? 'valid' : 'invalid');
  });
});
