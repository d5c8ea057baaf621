import type { ClientSession } from 'mongodb';
import type { NewPoller } from '../port.ts';
import { begunFields, mongoAppend } from './append.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';
import { endOfTime, type PollerDocument } from './webhook-documents.ts';

/** Creates and updates pollers, for the operations that need them. */
export function pollerLifecycle(parts: Parts) {
  const { pollers, webhooks } = parts.collections;
  const { complete } = mongoAppend(parts);

  return {
    /** Creates the poller if it does not exist. A poller that no webhook and no stream uses is reset. */
    async ensure(poller: NewPoller, now: number, session?: ClientSession): Promise<void> {
      const { id: _id, account, sealed, createdAt, cursor = null } = poller;
      const options = session ? { session } : {};
      const anew = {
        sealed,
        createdAt: new Date(createdAt),
        cursor,
        stopped: null,
        unreachable: null,
        gapAt: null,
        runner: null,
        woken: false,
      };
      for (;;) {
        const projection = { ...begunFields, keptUntil: 1 };
        const known = await pollers.findOne({ _id, account }, { ...options, projection });
        if (known && known.keptUntil.getTime() > now) return;
        if (known?.pending) {
          // An append with assigned positions must be completed before the poller is reset.
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

    /** Counts the poller's webhooks after a change, and notifies the poller. */
    async recount(account: string, _id: string, session: ClientSession): Promise<void> {
      const found = await webhooks.find({ account, poller: _id }, { session, projection: { _id: 1 } }).toArray();
      const known = await pollers.findOne({ _id, account }, { session, projection: { streamedUntil: 1 } });
      const keptUntil = found.length > 0 ? endOfTime : (known?.streamedUntil ?? new Date(0));
      const set = { webhooks: found.length, keptUntil, woken: true };
      await pollers.updateOne({ _id, account }, { $set: set }, { session });
    },
  };
}

type Fresh = Omit<PollerDocument, '_id' | 'account' | 'sealed' | 'createdAt'>;

function fresh(now: number): Fresh {
  return {
    v: 1,
    cursor: null,
    stopped: null,
    webhooks: 0,
    streamedUntil: null,
    keptUntil: new Date(0),
    runner: null,
    // The first fence is a time, so that it differs from all fences of a deleted poller with the same id.
    fence: now,
    claim: null,
    woken: false,
    lastPlace: 0,
    appendedAt: new Date(0),
    pending: null,
  };
}
