import type { ClientSession } from 'mongodb';
import type { NewPoller } from '../port.ts';
import { begunFields, mongoAppend } from './append.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';
import { always, type PollerDocument } from './webhook-documents.ts';

/** How pollers come and go, for the verbs that keep them. */
export function pollerLife(parts: Parts) {
  const { pollers, webhooks } = parts.collections;
  const { complete } = mongoAppend(parts);

  return {
    /** Makes it; one that nothing keeps begins anew. */
    async ensure(poller: NewPoller, now: number, session?: ClientSession): Promise<void> {
      const { id: _id, account, sealed, createdAt, cursor = null } = poller;
      const options = session ? { session } : {};
      const anew = {
        ...{ sealed, createdAt: new Date(createdAt), cursor, stopped: null, unreachable: null },
        ...{ runner: null, woken: false },
      };
      for (;;) {
        const projection = { ...begunFields, keptUntil: 1 };
        const known = await pollers.findOne({ _id, account }, { ...options, projection });
        if (known && known.keptUntil.getTime() > now) return;
        if (known?.pending) {
          // With its places given away, it cannot be forgotten.
          await complete(known, session);
        } else if (known) {
          const filter = { _id, account, keptUntil: { $lte: new Date(now) }, pending: null };
          const set = { ...anew, streamedUntil: null };
          const { matchedCount } = await pollers.updateOne(filter, { $set: set, $inc: { fence: 1 } }, options);
          if (matchedCount === 1) return;
        } else {
          try {
            await pollers.insertOne({ ...fresh(now), ...anew, _id, account }, options);
            return;
          } catch (error) {
            if (session || !isDuplicate(error)) throw error;
          }
        }
      }
    },

    /** Counts its webhooks again, which have changed, and wakes it. */
    async recount(account: string, _id: string, session: ClientSession): Promise<void> {
      const found = await webhooks.find({ account, poller: _id }, { session, projection: { _id: 1 } }).toArray();
      const known = await pollers.findOne({ _id, account }, { session, projection: { streamedUntil: 1 } });
      const keptUntil = found.length > 0 ? always : (known?.streamedUntil ?? new Date(0));
      const set = { webhooks: found.length, keptUntil, woken: true };
      await pollers.updateOne({ _id, account }, { $set: set }, { session });
    },
  };
}

type Fresh = Omit<PollerDocument, '_id' | 'account' | 'sealed' | 'createdAt'>;

function fresh(now: number): Fresh {
  return {
    ...{ v: 1, cursor: null, stopped: null, webhooks: 0, streamedUntil: null, keptUntil: new Date(0), runner: null },
    // A time, so that no fence of an earlier life, before the document was swept, comes again.
    fence: now,
    ...{ claim: null, woken: false, lastPlace: 0, appendedAt: new Date(0), pending: null },
  };
}
