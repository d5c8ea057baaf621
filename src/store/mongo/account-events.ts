import type { ClientSession } from 'mongodb';
import { lowCreditType } from '../ledger-rules.ts';
import {
  type AccountEvent,
  type AccountEventStore,
  accountEventRow,
  eventTtlMs,
  type NewAccountEvent,
} from '../port.ts';
import { addAbsent, mongoAppend } from './append.ts';
import { idOf } from './collections.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

/** Events of an account are also stored without a poller, for deliveries and for `add`. They have this id instead. */
const poller = 'account';
const pollersAtOnce = 16;

export function mongoAccountEvents(parts: Parts): AccountEventStore {
  const { link, collections, clock } = parts;
  const { accountEvents, lowCredit, webhooks, pollers, events, deliveries } = collections;
  const { appendForStreams } = mongoAppend(parts);

  /**
   * Queues the deliveries without a transaction, because a process that dies in a transaction would keep the pollers locked. All steps are
   * idempotent, and the last one ends the waiting, so that any process may repeat them.
   */
  async function queue(event: AccountEvent, sealed: string, wanted: readonly string[]): Promise<void> {
    const { id, account, type } = event;
    const waits = { _id: id, account };
    if (!((await accountEvents.findOne(waits)) ?? (await lowCredit.findOne(waits)))) return;
    const at = new Date(event.at);
    const common = { v: 1 as const, account, poller, place: event.at, type };
    const expiresAt = new Date(event.at + eventTtlMs);
    await addAbsent(events, [{ _id: idOf(account, poller, id), id, ...common, at, expiresAt, sealed }]);
    const living = await webhooks.find({ _id: { $in: [...wanted] }, account }, { projection: { poller: 1 } }).toArray();
    const made = living.map(({ _id: webhook }) => ({
      _id: idOf(account, id, webhook),
      event: id,
      webhook,
      ...common,
      eventAt: at,
      expiresAt,
      state: 'waiting' as const,
      attempts: 0,
      nextAt: at,
      replayed: false,
      last: null,
    }));
    await addAbsent(deliveries, made);
    const ids = living.map((webhook) => webhook.poller);
    if (ids.length > 0) await pollers.updateMany({ _id: { $in: ids }, account }, { $set: { woken: true } });
    const now = await clock.recent();
    const streamed = { streamedUntil: { $gt: new Date(now - eventTtlMs) }, keptUntil: { $gt: new Date(now) } };
    const reached = await pollers.find({ account, ...streamed }, { projection: { _id: 1 } }).toArray();
    for (let first = 0; first < reached.length; first += pollersAtOnce) {
      const some = reached.slice(first, first + pollersAtOnce);
      await Promise.all(
        some.map(({ _id }) => appendForStreams({ _id, account }, { id, type: accountEventRow, sealed })),
      );
    }
    await accountEvents.deleteOne(waits);
    await lowCredit.deleteOne(waits);
  }

  return {
    add: (event) => link.run(() => addAccountEvent(parts, event)),

    waiting: (limit) =>
      link.run(async () => {
        const options = { sort: { at: 1, _id: 1 }, limit } as const;
        const earlier = await lowCredit.find({}, options).toArray();
        const found = [
          ...(await accountEvents.find({}, options).toArray()),
          ...earlier.map(({ credit, threshold, ...event }) => {
            return { ...event, type: lowCreditType, sealed: null, amounts: { credit, threshold } };
          }),
        ];
        return found
          .map(({ _id: id, account, type, at, sealed, amounts }) => ({
            ...{ id, account, type, at: at.getTime(), sealed },
            amounts: amounts && { credit: Number(amounts.credit), threshold: Number(amounts.threshold) },
          }))
          .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
          .slice(0, limit);
      }),

    queue: (event, sealed, wanted) => link.run(() => queue(event, sealed, wanted), 0),
  };
}

/** See `AccountEventStore.add`. */
export async function addAccountEvent(
  { collections: { events, accountEvents }, clock }: Parts,
  { id, account, type, sealed }: NewAccountEvent,
  options: { session?: ClientSession } = {},
): Promise<void> {
  const known = { _id: idOf(account, poller, id), account };
  if (await events.findOne(known, { projection: { _id: 1 }, ...options })) return;
  const at = new Date(await clock.recent());
  const added = { v: 1 as const, type, at, sealed, amounts: null };
  try {
    await accountEvents.updateOne({ _id: id, account }, { $setOnInsert: added }, { upsert: true, ...options });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
