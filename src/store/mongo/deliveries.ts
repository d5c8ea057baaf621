import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import {
  type DeliveryRecord,
  type DeliveryResult,
  type DeliveryStore,
  eventTtlMs,
  type PollerReference,
} from '../port.ts';
import { idOf } from './collections.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';
import { replays } from './replay.ts';
import type { DeliveryDocument } from './webhook-documents.ts';

export function mongoDeliveries(parts: Parts): DeliveryStore {
  const { link, clock } = parts;
  const { pollers, webhooks, events, deliveries } = parts.collections;
  const { replay, giveUp } = replays(parts);

  /**
   * A process that slept between the check of the fence and the write notes what became of its attempts: what it
   * delivered was delivered, and anything else counts only where nobody tried as often since.
   */
  async function finish(poller: PollerReference, results: readonly DeliveryResult[]): Promise<'noted' | 'superseded'> {
    const { account, id, fence } = poller;
    const fenced = await pollers.findOne({ _id: id, account, fence }, { projection: { _id: 1 } });
    if (!fenced) return 'superseded';
    if (results.length === 0) return 'noted';
    await deliveries.bulkWrite(
      results.map((result) => noting(account, result)),
      { ordered: false },
    );
    const deliveredAt = new Map<string, number>();
    for (const { webhook, state, last } of results) {
      if (state === 'delivered') deliveredAt.set(webhook, Math.max(last.at, deliveredAt.get(webhook) ?? 0));
    }
    if (deliveredAt.size === 0) return 'noted';
    await webhooks.bulkWrite(
      [...deliveredAt].map(([webhook, at]) => ({
        updateOne: { filter: { _id: webhook, account }, update: { $max: { lastDeliveryAt: new Date(at) } } },
      })),
      { ordered: false },
    );
    return 'noted';
  }

  return {
    waiting: (account, webhook, replayed, limit) =>
      link.run(async () => {
        if (limit <= 0) return [];
        const kept = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        const filter = { account, webhook, replayed, state: 'waiting' as const, eventAt: kept };
        const found = await deliveries.find(filter, { sort: { nextAt: 1, place: 1 }, limit }).toArray();
        const ids = found.map(({ poller, event }) => idOf(account, poller, event));
        const projection = { sealed: 1 } as const;
        const bytes = ids.length > 0 ? await events.find({ _id: { $in: ids }, account }, { projection }).toArray() : [];
        const sealedOf = new Map(bytes.map(({ _id, sealed }) => [_id, sealed]));
        return found.flatMap((one) => {
          const sealed = sealedOf.get(idOf(account, one.poller, one.event));
          if (sealed === undefined) return [];
          return [{ ...toDelivery(one), sealed, eventAt: one.eventAt.getTime(), place: one.place }];
        });
      }),

    finish: (poller, results) => link.run(() => finish(poller, results)),

    list: (account, webhook, limit, after) =>
      link.run(async () => {
        if (limit <= 0) return [];
        const filter: Filter<DeliveryDocument> = { account, webhook };
        filter.eventAt = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        if (after) {
          const eventAt = new Date(after.at);
          filter.$or = [{ eventAt: { $lt: eventAt } }, { eventAt, event: { $lt: after.event } }];
        }
        const found = await deliveries.find(filter, { sort: { eventAt: -1, event: -1 }, limit }).toArray();
        return found.map((one) => ({ ...toDelivery(one), eventAt: one.eventAt.getTime() }));
      }),

    replay: (account, webhook) => link.run(() => replay(account, webhook), 0),
    giveUp: (account, webhook, error) => link.run(() => giveUp(account, webhook, error), 0),

    backlog: () =>
      link.run(async () => {
        const due = { state: 'waiting' as const, nextAt: { $lte: new Date(await clock.recent()) } };
        const oldest = await deliveries.findOne(due, { sort: { nextAt: 1 }, projection: { nextAt: 1 } });
        const waiting = await deliveries.countDocuments({ state: 'waiting' });
        return { waiting, oldestDueAt: toMs(oldest?.nextAt ?? null) };
      }),
  };
}

function noting(account: string, result: DeliveryResult): AnyBulkWriteOperation<DeliveryDocument> {
  const { event, webhook, state, attempts, nextAt, last } = result;
  const key = { _id: idOf(account, event, webhook), account };
  return {
    updateOne: {
      filter: state === 'delivered' ? key : { ...key, state: 'waiting', attempts: { $lt: attempts } },
      update: {
        $set: {
          ...{ state, attempts, nextAt: toDate(nextAt), last: { ...last, at: new Date(last.at) } },
          ...(state !== 'waiting' && { replayed: false }),
        },
      },
    },
  };
}

function toDelivery({
  event,
  type,
  webhook,
  state,
  attempts,
  nextAt,
  replayed,
  last,
}: DeliveryDocument): DeliveryRecord {
  return {
    ...{ event, type, webhook, state, attempts, nextAt: toMs(nextAt), replayed },
    last: last && { ...last, at: last.at.getTime() },
  };
}
