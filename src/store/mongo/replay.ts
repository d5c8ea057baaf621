import type { Filter } from 'mongodb';
import { eventTtlMs } from '../port.ts';
import type { Parts } from './parts.ts';
import type { DeliveryDocument } from './webhook-documents.ts';

/** Few enough that each step stays far from every time limit. */
const batchSize = 200;

/** What touches all deliveries of one webhook, batch by batch. */
export function replays({ clock, collections: { webhooks, pollers, deliveries } }: Parts) {
  return {
    async replay(account: string, webhook: string): Promise<number> {
      const now = await clock.recent();
      const queued = { state: 'waiting' as const, attempts: 0, nextAt: new Date(now), replayed: true };
      const again: Filter<DeliveryDocument>[] = [{ state: { $ne: 'waiting' } }, { attempts: { $gt: 0 } }];
      const sort = { eventAt: 1, event: 1 } as const;
      const projection = { event: 1, eventAt: 1 } as const;
      let behind: Filter<DeliveryDocument> = { eventAt: { $gt: new Date(now - eventTtlMs) } };
      for (let count = 0; ; ) {
        const filter = { ...behind, account, webhook };
        const found = await deliveries.find(filter, { sort, projection, limit: batchSize }).toArray();
        const _id = { $in: found.map(({ _id }) => _id) };
        if (found.length > 0) await deliveries.updateMany({ _id, account, $or: again }, { $set: queued });
        count += found.length;
        const last = found.at(-1);
        if (!last || found.length < batchSize) {
          const of = await webhooks.findOne({ _id: webhook, account }, { projection: { poller: 1 } });
          if (of) await pollers.updateOne({ _id: of.poller, account }, { $set: { woken: true } });
          return count;
        }
        const { eventAt, event } = last;
        behind = { $or: [{ eventAt: { $gt: eventAt } }, { eventAt, event: { $gt: event } }] };
      }
    },

    async giveUp(account: string, webhook: string, error: string): Promise<void> {
      const at = new Date(await clock.recent());
      const ended = { state: 'given_up' as const, nextAt: null, replayed: false };
      const untried = { at, durationMs: 0, responseCode: null, error, excerpt: null };
      const waits = { account, webhook, state: 'waiting' as const };
      for (;;) {
        const found = await deliveries.find(waits, { projection: { _id: 1 }, limit: batchSize }).toArray();
        if (found.length === 0) return;
        const batch = { ...waits, _id: { $in: found.map(({ _id }) => _id) } };
        await deliveries.updateMany({ ...batch, last: null }, { $set: { ...ended, last: untried } });
        await deliveries.updateMany({ ...batch, last: { $ne: null } }, { $set: { ...ended, 'last.error': error } });
      }
    },
  };
}
