import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import {
  type DeliveryRecord,
  type DeliveryResult,
  type DeliveryStore,
  eventTtlMs,
  loggedAttempts,
  type PollerReference,
} from '../port.ts';
import { type DeliveryOutcome, deliveryOutcomes } from '../webhook-rules.ts';
import { idOf } from './collections.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';
import { replay } from './replay.ts';
import type { DeliveryDocument, WebhookDocument } from './webhook-documents.ts';

/** The log may be large, so only `find` reads it. */
const withoutLog = { log: 0 } as const;

export function mongoDeliveries(parts: Parts): DeliveryStore {
  const { link, clock } = parts;
  const { pollers, webhooks, deliveries } = parts.collections;

  /**
   * Stores the results of attempts. A process that is suspended between the check of the fence and the write stores outdated results. This
   * is safe: a delivered event was really delivered, and another result is stored only if no other process has made as many attempts.
   */
  async function finish(poller: PollerReference, results: readonly DeliveryResult[]): Promise<'noted' | 'superseded'> {
    const { account, id, fence } = poller;
    const fenced = await pollers.findOne({ _id: id, account, fence }, { projection: { _id: 1 } });
    if (!fenced) return 'superseded';
    if (results.length === 0) return 'noted';
    const { matchedCount } = await deliveries.bulkWrite(
      results.map((result) => noting(account, result)),
      { ordered: false },
    );
    const counted = matchedCount === results.length ? results : await withoutIgnored(account, results);
    const concluded = [...deliveryOutcomes(counted)].flatMap(([webhook, outcome]) =>
      concluding({ _id: webhook, account }, outcome),
    );
    if (concluded.length > 0) await webhooks.bulkWrite(concluded);
    return 'noted';
  }

  /**
   * Returns the delivered results, and the failed results that are stored. If the call is repeated, its first attempt may have stored
   * them.
   */
  async function withoutIgnored(account: string, results: readonly DeliveryResult[]): Promise<DeliveryResult[]> {
    const failed = results.filter(({ state }) => state !== 'delivered');
    const _id = { $in: failed.map(({ event, webhook }) => idOf(account, event, webhook)) };
    const projection = { state: 1, attempts: 1, 'last.at': 1 } as const;
    const found = failed.length > 0 ? await deliveries.find({ _id, account }, { projection }).toArray() : [];
    const stored = new Map(found.map((one) => [one._id, one]));
    return results.filter(({ event, webhook, state, attempts, last }) => {
      const now = stored.get(idOf(account, event, webhook));
      const same = now?.state === state && now.attempts === attempts && now.last?.at.getTime() === last.at;
      return state === 'delivered' || same;
    });
  }

  return {
    waiting: (account, webhook, replayed, limit) =>
      link.run(async () => {
        if (limit <= 0) return [];
        const kept = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        const filter = { account, webhook, replayed, state: 'waiting' as const, eventAt: kept };
        const sort = { nextAt: 1, place: 1 } as const;
        const found = await deliveries.find(filter, { sort, limit, projection: withoutLog }).toArray();
        return found.map((one) => ({
          ...toDelivery(one),
          poller: one.poller,
          eventAt: one.eventAt.getTime(),
          place: one.place,
        }));
      }),

    finish: (poller, results) => link.run(() => finish(poller, results)),

    drop: (account, webhook, poller) =>
      link.run(async () => void (await deleteInBatches(deliveries, { account, webhook, poller })), 0),

    list: (account, webhook, limit, after) =>
      link.run(async () => {
        if (limit <= 0) return [];
        const filter: Filter<DeliveryDocument> = { account, webhook };
        filter.eventAt = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        if (after) {
          const eventAt = new Date(after.at);
          filter.$or = [{ eventAt: { $lt: eventAt } }, { eventAt, event: { $lt: after.event } }];
        }
        const sort = { eventAt: -1, event: -1 } as const;
        const found = await deliveries.find(filter, { sort, limit, projection: withoutLog }).toArray();
        return found.map((one) => ({ ...toDelivery(one), eventAt: one.eventAt.getTime() }));
      }),

    find: (account, webhook, event) =>
      link.run(async () => {
        const eventAt = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        const found = await deliveries.findOne({ _id: idOf(account, event, webhook), account, eventAt });
        return found && { delivery: toDelivery(found), attempts: found.log ?? [] };
      }),

    queued: (account, webhook, most) =>
      link.run(async () => {
        const kept = { $gt: new Date((await clock.recent()) - eventTtlMs) };
        // `$in` names all values, so that MongoDB can use the index of the waiting deliveries, in its order.
        const replayed = { $in: [false, true] };
        const filter = { account, webhook, replayed, state: 'waiting' as const, eventAt: kept };
        const [count, first] = await Promise.all([
          deliveries.countDocuments(filter, { limit: most }),
          deliveries.findOne(filter, { sort: { nextAt: 1 }, projection: { nextAt: 1 } }),
        ]);
        return { count, nextAt: toMs(first?.nextAt ?? null) };
      }),

    replay: (account, webhook, filter) => link.run(() => replay(parts, account, webhook, filter), 0),

    backlog: () =>
      link.run(async () => {
        const now = await clock.recent();
        const totals = { waiting: { $sum: 1 }, oldest: { $min: '$nextAt' } };
        const webhook = { from: webhooks.collectionName, localField: '_id', foreignField: '_id', as: 'webhook' };
        const [found] = await deliveries
          .aggregate<{ waiting: number; oldest: Date }>([
            // The condition on `nextAt` makes MongoDB use the index of the waiting deliveries.
            { $match: { state: 'waiting', nextAt: { $gt: new Date(0) } } },
            { $group: { _id: '$webhook', ...totals } },
            { $lookup: webhook },
            { $match: { 'webhook.valid': true, 'webhook.pausedAt': null } },
            { $group: { _id: null, waiting: { $sum: '$waiting' }, oldest: { $min: '$oldest' } } },
          ])
          .toArray();
        if (!found) return { waiting: 0, oldestDueAt: null };
        const oldest = found.oldest.getTime();
        return { waiting: found.waiting, oldestDueAt: oldest <= now ? oldest : null };
      }),
  };
}

function noting(account: string, result: DeliveryResult): AnyBulkWriteOperation<DeliveryDocument> {
  const { event, webhook, state, attempts, nextAt, last, exchange } = result;
  const key = { _id: idOf(account, event, webhook), account };
  // `$not` and not `$nor`, because some servers read the whole collection for a filter with `$nor`.
  const entry = { attempt: attempts, at: last.at, responseCode: last.responseCode };
  const notLogged = { log: { $not: { $elemMatch: entry } } };
  return {
    updateOne: {
      filter:
        state === 'delivered' ? { ...key, ...notLogged } : { ...key, state: 'waiting', attempts: { $lt: attempts } },
      update: {
        $set: {
          state,
          attempts,
          nextAt: toDate(nextAt),
          last: { ...last, at: new Date(last.at) },
          ...(state !== 'waiting' && { replayed: false }),
        },
        $push: { log: { $each: [{ attempt: attempts, ...last, exchange }], $slice: -loggedAttempts } },
      },
    },
  };
}

/** Returns the writes that record the outcome of a batch of results in their webhook. */
function concluding(
  key: Pick<WebhookDocument, '_id' | 'account'>,
  { deliveredAt, failed }: DeliveryOutcome,
): AnyBulkWriteOperation<WebhookDocument>[] {
  if (deliveredAt !== null) {
    const $set = { undeliveredSince: null, undeliveredError: null };
    return [{ updateOne: { filter: key, update: { $max: { lastDeliveryAt: new Date(deliveredAt) }, $set } } }];
  }
  const first = { ...key, undeliveredSince: null };
  return [
    { updateOne: { filter: first, update: { $set: { undeliveredSince: new Date(failed.since) } } } },
    { updateOne: { filter: key, update: { $set: { undeliveredError: failed.error } } } },
  ];
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
    event,
    type,
    webhook,
    state,
    attempts,
    nextAt: toMs(nextAt),
    replayed,
    last: last && { ...last, at: last.at.getTime() },
  };
}
