import type { IdentifierStore } from '../port.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

export function mongoIdentifiers({ link, collections, clock }: Parts): IdentifierStore {
  const { identifiers: stored } = collections;
  return {
    find: (hash) =>
      link.run(async () => {
        const now = new Date(await clock.recent());
        return (await stored.findOne({ _id: hash, expiresAt: { $gt: now } }))?.identifier ?? null;
      }),

    save: (identifiers, ttlMs, maxCount) =>
      link.run(async () => {
        const expiresAt = new Date((await clock.recent()) + ttlMs);
        const writes = identifiers.map(({ hash, identifier }) => ({
          updateOne: {
            filter: { _id: hash },
            update: { $set: { v: 1 as const, identifier }, $max: { expiresAt } },
            upsert: true,
          },
        }));
        try {
          if (writes.length > 0) await stored.bulkWrite(writes, { ordered: false });
        } catch (error) {
          // Another process has stored the same identifier at the same time.
          if (!isDuplicate(error)) throw error;
        }
        const excess = (await stored.estimatedDocumentCount()) - maxCount;
        if (excess <= 0) return;
        const first = await stored
          .find({}, { projection: { _id: 1 } })
          .sort({ expiresAt: 1 })
          .limit(excess)
          .toArray();
        await stored.deleteMany({ _id: { $in: first.map(({ _id }) => _id) } });
      }),
  };
}
