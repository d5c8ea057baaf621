import type { Filter } from 'mongodb';
import { type ConnectionStore, type StoredConnection, unusedConnectionTtlMs } from '../port.ts';
import { addAccountEvent } from './account-events.ts';
import { lockAccount } from './account-lock.ts';
import { addAudit } from './audit.ts';
import type { ConnectionDocument } from './collections.ts';
import { operationTimeoutMs } from './connection.ts';
import type { Parts } from './parts.ts';

export function mongoConnections(parts: Parts): ConnectionStore {
  const { link, collections, transact, turns, clock } = parts;
  const { connections } = collections;

  return {
    create: ({ id: _id, ...record }, { most, mostPending }, audit) => {
      const { account } = record;
      const isLive = { account, revokeAt: null };
      const create = () =>
        transact(async (session) => {
          // Concurrent transactions of the account would count each other's connections wrongly.
          const now = (await lockAccount(parts, session, account))?.now ?? (await clock.recent());
          if (await connections.findOne({ _id }, { session })) return 'created';
          const over = { $lt: now - unusedConnectionTtlMs };
          const ended = [{ signInEndsAt: over }, { signInEndsAt: null, createdAt: over }];
          const unused = { ...isLive, status: { $in: ['pending', 'failed'] as const }, $or: ended };
          await connections.deleteMany(unused as Filter<ConnectionDocument>, { session });
          if ((await connections.countDocuments(isLive, { session })) >= most) return 'too_many';
          const pending = { ...isLive, status: 'pending' as const, signInEndsAt: { $gt: now } };
          const isOver =
            record.status === 'pending' && (await connections.countDocuments(pending, { session })) >= mostPending;
          if (isOver) return 'too_many_pending';
          await connections.insertOne({ _id, v: 1, ...record, revision: 1 }, { session });
          await addAudit(parts, session, audit);
          return 'created';
        });
      return link.run(() => turns.take(account, operationTimeoutMs, create), 0);
    },

    find: (id) =>
      link.run(async () => {
        const found = await connections.findOne({ _id: id });
        return found && toConnection(found);
      }),

    list: (account, limit, after) =>
      link.run(async () => {
        // The driver would interpret a limit of 0 as no limit.
        if (limit <= 0) return [];
        const { createdAt = 0, id = '' } = after ?? {};
        const later = { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: id } }] };
        const filter = { account, revokeAt: null, ...(after && later) };
        const found = await connections.find(filter, { sort: { createdAt: 1, _id: 1 }, limit }).toArray();
        return found.map(toConnection);
      }),

    listAll: (limit, after = '') =>
      link.run(async () => {
        const found = await connections.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit }).toArray();
        return found.map(toConnection);
      }),

    replace: ({ id: _id, account, createdAt, lastUsedAt, revision, ...record }, audit, event) =>
      link.run(
        () =>
          transact(async (session) => {
            const change = { $set: record, $inc: { revision: 1 } };
            const options = { session, returnDocument: 'after' } as const;
            const found = await connections.findOneAndUpdate({ _id, revision }, change, options);
            if (found) await addAudit(parts, session, audit);
            if (found && event) await addAccountEvent(parts, event, { session });
            return found && toConnection(found);
          }),
        0,
      ),

    touch: (uses) =>
      link.run(async () => {
        if (uses.length === 0) return;
        const updates = uses.map(({ id: _id, at }) => ({
          updateOne: { filter: { _id }, update: { $max: { lastUsedAt: at } } },
        }));
        await connections.bulkWrite(updates, { ordered: false });
      }),

    toRevoke: (limit) =>
      link.run(async () => {
        const due = { revokeAt: { $lte: await clock.recent() } };
        const found = await connections.find(due, { sort: { revokeAt: 1, _id: 1 }, limit }).toArray();
        return found.map(toConnection);
      }),

    remove: (id) =>
      link.run(async () => {
        await connections.deleteOne({ _id: id });
      }),
  };
}

function toConnection({ _id: id, v, ...record }: ConnectionDocument): StoredConnection {
  return { id, ...record };
}
