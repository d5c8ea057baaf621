import type { Filter } from 'mongodb';
import { eventTtlMs, type ReplayFilter } from '../port.ts';
import { idOf } from './collections.ts';
import type { Parts } from './parts.ts';
import type { DeliveryDocument } from './webhook-documents.ts';

/** The number of documents in one batch. It is low enough to keep every operation far below all time limits. */
const batchSize = 200;

/** Implements `DeliveryStore.replay`, in batches. */
export async function replay(
  { clock, collections: { webhooks, pollers, deliveries } }: Parts,
  account: string,
  webhook: string,
  { event: only, since = 0, failed = false }: ReplayFilter = {},
): Promise<number> {
  const now = await clock.recent();
  const one = only !== undefined && { _id: idOf(account, only, webhook) };
  const queued = { state: 'waiting' as const, attempts: 0, nextAt: new Date(now), replayed: true };
  const retried: Filter<DeliveryDocument> = { state: 'waiting', attempts: { $gt: 0 } };
  const again = [{ state: failed ? ('given_up' as const) : { $ne: 'waiting' as const } }, retried];
  const sort = { eventAt: 1, event: 1 } as const;
  const projection = { event: 1, eventAt: 1, state: 1, attempts: 1 } as const;
  let behind: Filter<DeliveryDocument> = { eventAt: { $gt: new Date(Math.max(now - eventTtlMs, since - 1)) } };
  for (let count = 0; ; ) {
    // `failed` is not part of the query, so that a batch reads few documents if few of them match.
    const filter = { ...one, ...behind, account, webhook };
    const found = await deliveries.find(filter, { sort, projection, limit: batchSize }).toArray();
    const chosen = failed ? found.filter(hasFailed) : found;
    const _id = { $in: chosen.map(({ _id }) => _id) };
    if (chosen.length > 0) await deliveries.updateMany({ _id, account, $or: again }, { $set: queued });
    count += chosen.length;
    const last = found.at(-1);
    if (!last || found.length < batchSize) {
      const of = await webhooks.findOne({ _id: webhook, account }, { projection: { poller: 1 } });
      if (of) await pollers.updateOne({ _id: of.poller, account }, { $set: { woken: true } });
      return count;
    }
    const { eventAt, event } = last;
    behind = { $or: [{ eventAt: { $gt: eventAt } }, { eventAt, event: { $gt: event } }] };
  }
}

function hasFailed({ state, attempts }: Pick<DeliveryDocument, 'state' | 'attempts'>): boolean {
  return state === 'given_up' || (state === 'waiting' && attempts > 0);
}
