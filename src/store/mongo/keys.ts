import type { KeyRecord, KeyStore } from '../port.ts';
import type { KeyDocument } from './collections.ts';
import { verbLimitMs } from './link.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';

export function mongoKeys({ link, collections: { apiKeys, apiKeyIds }, transact, turns }: Parts): KeyStore {
  const hashOf = async (id: string) => (await apiKeyIds.findOne({ _id: id }))?.hash ?? null;

  /** Both or neither; false where either is there. */
  function create(key: KeyRecord): Promise<boolean> {
    return transact(async (session) => {
      const sameId = await apiKeyIds.findOne({ _id: key.id }, { session });
      const sameHash = await apiKeys.findOne({ _id: key.hash }, { session });
      if (sameId || sameHash) return false;
      await apiKeyIds.insertOne({ _id: key.id, v: 1, hash: key.hash }, { session });
      await apiKeys.insertOne(toDocument(key), { session });
      return true;
    });
  }

  return {
    create: (key) => link.run(() => turns.take(`key ${key.id}`, verbLimitMs, () => create(key)), 0),

    findByHash: (hash) =>
      link.run(async () => {
        const key = await apiKeys.findOne({ _id: hash });
        return key ? toKey(key) : null;
      }),

    list: (account) =>
      link.run(async () => {
        const filter = account === undefined ? {} : { account };
        const keys = await apiKeys.find(filter, { sort: { createdAt: 1, id: 1 }, allowDiskUse: true }).toArray();
        return keys.map(toKey);
      }, 0),

    revoke: (id, at) =>
      link.run(async () => {
        const hash = await hashOf(id);
        if (hash === null) return null;
        await apiKeys.updateOne({ _id: hash, revokedAt: null }, { $set: { revokedAt: new Date(at) } });
        const key = await apiKeys.findOne({ _id: hash });
        return key ? toKey(key) : null;
      }),

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
  const { id, account, name, prefix, hash } = key;
  return {
    ...{ _id: hash, v: 1, id, account, name, prefix },
    createdAt: new Date(key.createdAt),
    lastUsedAt: toDate(key.lastUsedAt),
    revokedAt: toDate(key.revokedAt),
  };
}

function toKey(key: KeyDocument): KeyRecord {
  const { _id: hash, id, account, name, prefix } = key;
  return {
    ...{ id, account, name, prefix, hash },
    createdAt: key.createdAt.getTime(),
    lastUsedAt: toMs(key.lastUsedAt),
    revokedAt: toMs(key.revokedAt),
  };
}
