import { type Collection, Long } from 'mongodb';
import type { Micros } from '../../shared/model/money.ts';
import { type AccountRecord, type AccountStore, type AuditEntry, type Balance, revocationTtlMs } from '../port.ts';
import { addAudit } from './audit.ts';
import type { AccountDocument, Collections } from './collections.ts';
import { operationTimeoutMs } from './connection.ts';
import { isDuplicate } from './errors.ts';
import { type Parts, toMs } from './parts.ts';

export function mongoAccounts(parts: Parts): AccountStore {
  const { link, turns, transact } = parts;
  const { accounts } = parts.collections;

  function set(
    id: string,
    isSet: (account: AccountDocument) => boolean,
    fields: Partial<Pick<AccountDocument, 'name' | 'rateLimit' | 'lowCreditThreshold'>>,
    audit: AuditEntry | undefined,
  ): Promise<boolean> {
    const change = () =>
      transact(async (session) => {
        const account = await accounts.findOne({ _id: id }, { session });
        if (!account || isSet(account)) return account !== null;
        await accounts.updateOne({ _id: id }, { $set: fields }, { session });
        await addAudit(parts, session, audit);
        return true;
      });
    return link.run(() => turns.take(id, operationTimeoutMs, change), 0);
  }

  return {
    create: ({ id, name, createdAt }) =>
      link.run(async () => {
        const credit = { paid: Long.ZERO, charged: Long.ZERO, avail: Long.ZERO };
        try {
          const account = {
            _id: id,
            v: 1 as const,
            name,
            createdAt: new Date(createdAt),
            rateLimit: null,
            ...credit,
            turn: 0,
          };
          await accounts.insertOne(account);
          return true;
        } catch (error) {
          if (isDuplicate(error)) return false;
          throw error;
        }
      }),

    find: (id) =>
      link.run(async () => {
        const account = await accounts.findOne({ _id: id });
        return account ? toAccount(account) : null;
      }),

    rename: (id, name, audit) => set(id, (account) => account.name === name, { name }, audit),

    setRateLimit: (id, rateLimit, audit) => set(id, (account) => account.rateLimit === rateLimit, { rateLimit }, audit),

    setLowCreditThreshold: (id, threshold, audit) => {
      const lowCreditThreshold = threshold === null ? null : Long.fromNumber(threshold);
      return set(id, (account) => thresholdOf(account) === threshold, { lowCreditThreshold }, audit);
    },

    list: () =>
      link.run(async () => {
        const all = await accounts.find({}, { sort: { createdAt: 1, _id: 1 }, allowDiskUse: true }).toArray();
        return all.map((account) => ({ ...toAccount(account), ...balanceOfDocument(account) }));
      }, 0),

    markDeleted: (id, at) =>
      link.run(async () => {
        const cleared = { name: '', rateLimit: null, lowCreditThreshold: null };
        const isLive = { _id: id, deletedAt: { $exists: false } };
        await accounts.updateOne(isLive, { $set: { ...cleared, deletedAt: new Date(at) } });
        return toMs((await accounts.findOne({ _id: id }))?.deletedAt ?? null);
      }),

    erase: (id) => link.run(async () => eraseBatch(parts.collections, id, await parts.clock.recent()), 0),
  };
}

/** The collections that keep documents of a deleted account. */
const kept: readonly (keyof Collections)[] = ['accounts', 'usage', 'payments', 'holds', 'commits', 'connections'];
const eraseBatchSize = 200;

async function eraseBatch(collections: Collections, account: string, now: number): Promise<number> {
  const { apiKeys, apiKeyIds, connections, payments, webhookTurns } = collections;
  const keys = await apiKeys.find({ account }, { projection: { id: 1 }, limit: eraseBatchSize }).toArray();
  await apiKeyIds.deleteMany({ _id: { $in: keys.map(({ id }) => id) } });
  let erased = (await webhookTurns.deleteOne({ _id: account })).deletedCount;
  // The documents of the other collections have a field `account`, and those of later versions should too.
  const names = (Object.keys(collections) as (keyof Collections)[]).filter((name) => !kept.includes(name));
  for (const name of ['apiKeys', ...names] as const) {
    const collection = collections[name] as unknown as Collection<{ account: string }>;
    const found = await collection.find({ account }, { projection: { _id: 1 }, limit: eraseBatchSize }).toArray();
    if (found.length > 0) {
      erased += (await collection.deleteMany({ account, _id: { $in: found.map(({ _id }) => _id) } })).deletedCount;
    }
  }
  // Logins are marked as deleted, so that they are revoked at the platform. Connections without one are deleted.
  const deleted = { revokeAt: now, goneAt: now + revocationTtlMs, userId: null, signIn: null, signInEndsAt: null };
  const isLive = { account, revokeAt: null };
  const change = { $set: deleted, $inc: { revision: 1 } };
  erased += (await connections.updateMany({ ...isLive, login: { $ne: null } }, change)).modifiedCount;
  erased += (await connections.deleteMany(isLive)).deletedCount;
  const described = { account, description: { $ne: '' } };
  return erased + (await payments.updateMany(described, { $set: { description: '' } })).modifiedCount;
}

function toAccount(account: AccountDocument): AccountRecord {
  const { _id: id, name, createdAt, rateLimit, deletedAt = null } = account;
  const lowCreditThreshold = thresholdOf(account);
  return { id, name, createdAt: createdAt.getTime(), rateLimit, lowCreditThreshold, deletedAt: toMs(deletedAt) };
}

export function thresholdOf({ lowCreditThreshold = null }: AccountDocument): Micros | null {
  return lowCreditThreshold === null ? null : Number(lowCreditThreshold);
}

/**
 * Returns the balance of an account. Computes `held` from the other fields instead of summing up the holds, because one document is always
 * consistent, and several documents read one after the other are not.
 */
export function balanceOfDocument(account: AccountDocument): Balance {
  const [paid, charged, avail] = [Number(account.paid), Number(account.charged), Number(account.avail)];
  return { paid, charged, avail, held: paid - charged - avail };
}
