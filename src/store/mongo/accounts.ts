import { Long } from 'mongodb';
import type { AccountRecord, AccountStore, Balance } from '../port.ts';
import type { AccountDocument } from './collections.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

export function mongoAccounts({ link, collections: { accounts } }: Parts): AccountStore {
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

    setRateLimit: (id, rateLimit) =>
      link.run(async () => (await accounts.updateOne({ _id: id }, { $set: { rateLimit } })).matchedCount === 1),

    list: () =>
      link.run(async () => {
        const all = await accounts.find({}, { sort: { createdAt: 1, _id: 1 }, allowDiskUse: true }).toArray();
        return all.map((account) => ({ ...toAccount(account), ...toBalance(account) }));
      }, 0),
  };
}

function toAccount({ _id, name, createdAt, rateLimit }: AccountDocument): AccountRecord {
  return { id: _id, name, createdAt: createdAt.getTime(), rateLimit };
}

/**
 * Of the account alone: what is held follows from the rest at every commit, and one document is one moment, which a
 * sum over its holds would not be.
 */
export function toBalance(account: AccountDocument): Balance {
  const [paid, charged, avail] = [Number(account.paid), Number(account.charged), Number(account.avail)];
  return { paid, charged, avail, held: paid - charged - avail };
}
