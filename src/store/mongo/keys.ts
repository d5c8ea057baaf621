import type { ClientSession } from 'mongodb';
import type { AuditEntry, KeyRecord, KeyStore } from '../port.ts';
import { lockAccount } from './account-lock.ts';
import { addAudit } from './audit.ts';
import type { KeyDocument } from './collections.ts';
import { operationTimeoutMs } from './connection.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';

export function mongoKeys(parts: Parts): KeyStore {
  const { link, collections, transact, turns } = parts;
  const { apiKeys, apiKeyIds } = collections;
  const hashOf = async (id: string) => (await apiKeyIds.findOne({ _id: id }))?.hash ?? null;

  async function exists({ id, hash }: KeyRecord, session: ClientSession): Promise<boolean> {
    const sameId = await apiKeyIds.findOne({ _id: id }, { session });
    return sameId !== null || (await apiKeys.findOne({ _id: hash }, { session })) !== null;
  }

  async function insert(key: KeyRecord, audit: AuditEntry | undefined, session: ClientSession): Promise<void> {
    await apiKeyIds.insertOne({ _id: key.id, v: 1, hash: key.hash }, { session });
    await apiKeys.insertOne(toDocument(key), { session });
    await addAudit(parts, session, audit);
  }

  /** Creates both documents of a key or none. Returns false if either of them exists. */
  function create(key: KeyRecord, audit: AuditEntry | undefined): Promise<boolean> {
    return transact(async (session) => {
      if (await exists(key, session)) return false;
      await insert(key, audit, session);
      return true;
    });
  }

  function createWithin(
    key: KeyRecord,
    most: number,
    audit: AuditEntry | undefined,
  ): Promise<'created' | 'exists' | 'too_many'> {
    const { account } = key;
    return transact(async (session) => {
      // Concurrent transactions of the account would count each other's keys wrongly.
      await lockAccount(parts, session, account);
      if (await exists(key, session)) return 'exists';
      if ((await apiKeys.countDocuments({ account, revokedAt: null }, { session })) >= most) return 'too_many';
      await insert(key, audit, session);
      const revoked = { account, revokedAt: { $ne: null } };
      const old = await apiKeys.find(revoked, { session, sort: { revokedAt: -1, id: 1 }, skip: most }).toArray();
      if (old.length > 0) {
        await apiKeys.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }, { session });
        await apiKeyIds.deleteMany({ _id: { $in: old.map(({ id }) => id) } }, { session });
      }
      return 'created';
    });
  }

  return {
    create: (key, audit) =>
      link.run(() => turns.take(`key ${key.id}`, operationTimeoutMs, () => create(key, audit)), 0),

    createWithin: (key, most, audit) =>
      link.run(() => turns.take(key.account, operationTimeoutMs, () => createWithin(key, most, audit)), 0),

    findByHash: (hash) =>
      link.run(async () => {
        const key = await apiKeys.findOne({ _id: hash });
        return key ? toKey(key) : null;
      }),

    find: (id) =>
      link.run(async () => {
        const hash = await hashOf(id);
        const key = hash === null ? null : await apiKeys.findOne({ _id: hash });
        return key ? toKey(key) : null;
      }),

    list: (account) =>
      link.run(async () => {
        const filter = account === undefined ? {} : { account };
        const keys = await apiKeys.find(filter, { sort: { createdAt: 1, id: 1 }, allowDiskUse: true }).toArray();
        return keys.map(toKey);
      }, 0),

    revoke: (id, at, audit) =>
      link.run(async () => {
        const hash = await hashOf(id);
        if (hash === null) return null;
        await transact(async (session) => {
          const change = { $set: { revokedAt: new Date(at) } };
          const { modifiedCount } = await apiKeys.updateOne({ _id: hash, revokedAt: null }, change, { session });
          if (modifiedCount === 1) await addAudit(parts, session, audit);
        });
        const key = await apiKeys.findOne({ _id: hash });
        return key ? toKey(key) : null;
      }, 0),

    touch: (uses) =>
      link.run(async () => {
        if (uses.length === 0) return;
        const known = await apiKeyIds.find({ _id: { $in: uses.map(({ id }) => id) } }).toArray();
        const hashes = new Map(known.map(({ _id, hash }) => [_id, hash]));
        const updates = uses.flatMap(({ id, at }) => {
          const hash = hashes.get(id);
          if (hash === undefined) return [];
          return [{ updateOne: { filter: { _id: hash }, update: { $max: { lastUsedAt: new Date(at) } } } }];
        });
        if (updates.length > 0) await apiKeys.bulkWrite(updates, { ordered: false });
      }),
  };
}

function toDocument(key: KeyRecord): KeyDocument {
  const { id, account, name, prefix, hash, restrictions } = key;
  return {
    _id: hash,
    v: 1,
    id,
    account,
    name,
    prefix,
    restrictions,
    createdAt: new Date(key.createdAt),
    lastUsedAt: toDate(key.lastUsedAt),
    revokedAt: toDate(key.revokedAt),
  };
}

function toKey(key: KeyDocument): KeyRecord {
  const { _id: hash, id, account, name, prefix, restrictions = null } = key;
  return {
    id,
    account,
    name,
    prefix,
    hash,
    restrictions,
    createdAt: key.createdAt.getTime(),
    lastUsedAt: toMs(key.lastUsedAt),
    revokedAt: toMs(key.revokedAt),
  };
}
