import { type AnyBulkWriteOperation, type ClientSession, type Collection, MongoBulkWriteError } from 'mongodb';
import { type Append, eventTtlMs } from '../port.ts';
import { idOf } from './collections.ts';
import type { Parts } from './parts.ts';
import type { DeliveryDocument, EventDocument, PendingAppend, PollerDocument } from './webhook-documents.ts';

/** The fields that are needed to complete an append. */
export type Begun = Pick<PollerDocument, '_id' | 'account' | 'lastPlace' | 'pending'>;
export const begunFields = { account: 1, lastPlace: 1, pending: 1 } as const;

/**
 * Appends events without a multi-document transaction, because a process that dies in a transaction would keep the poller locked. One write
 * decides: it checks the fence and stores the whole append, with the positions of its events, as `pending` in the poller. All later steps
 * are idempotent, so that any process may complete them: events and deliveries are inserted if they are absent, then one write moves cursor
 * and last position and removes `pending`. A process that was suspended and is superseded therefore adds nothing that its successor does
 * not add too. Readers read up to the last position, so they see either the complete append or nothing of it.
 */
export function mongoAppend({ collections, clock }: Parts) {
  const { pollers, webhooks, events, deliveries } = collections;

  async function complete({ _id, account, lastPlace, pending }: Begun, session?: ClientSession): Promise<void> {
    if (!pending) return;
    const { at } = pending;
    const expiresAt = new Date(at.getTime() + eventTtlMs);
    const placed = pending.events.map((event, index) => ({ ...event, place: lastPlace + 1 + index }));
    await addAbsent(
      events,
      placed.map(
        ({ id, place, type, sealed }): EventDocument => ({
          _id: idOf(account, _id, id),
          v: 1,
          id,
          account,
          poller: _id,
          place,
          type,
          at,
          expiresAt,
          sealed,
        }),
      ),
      session,
    );
    await addAbsent(
      deliveries,
      placed.flatMap(({ id, place, type, webhooks }) =>
        webhooks.map(
          (webhook): DeliveryDocument => ({
            _id: idOf(account, id, webhook),
            v: 1,
            account,
            event: id,
            webhook,
            poller: _id,
            place,
            type,
            eventAt: at,
            expiresAt,
            state: 'waiting',
            attempts: 0,
            nextAt: at,
            replayed: false,
            last: null,
          }),
        ),
      ),
      session,
    );
    const done = {
      cursor: pending.cursor,
      lastPlace: lastPlace + placed.length,
      appendedAt: at,
      ...(pending.gap && { gapAt: at }),
      pending: null,
    };
    // Each append increases `lastPlace`, so this append is completed only once.
    const filter = { _id, account, lastPlace, pending: { $ne: null } };
    await pollers.updateOne(filter, { $set: done }, session ? { session } : {});
  }

  /** Returns the new events of an append, each with those of its webhooks that exist. */
  async function newOf({ poller, events: all, deliveries: wanted }: Append): Promise<PendingAppend['events']> {
    const { account } = poller;
    if (all.length === 0) return [];
    const eventIds = all.map(({ id }) => idOf(account, poller.id, id));
    const webhookIds = [...new Set(wanted.map(({ webhook }) => webhook))];
    const project = { projection: { _id: 1 } } as const;
    const [known, living] = await Promise.all([
      events.find({ _id: { $in: eventIds }, account }, project).toArray(),
      webhookIds.length > 0 ? webhooks.find({ _id: { $in: webhookIds }, account }, project).toArray() : [],
    ]);
    const knownIds = new Set(known.map(({ _id }) => _id));
    const livingIds = new Set(living.map(({ _id }) => _id));
    const added = new Map<string, PendingAppend['events'][number]>();
    for (const { id, type, sealed } of all) {
      if (!knownIds.has(idOf(account, poller.id, id))) added.set(id, { id, type, sealed, webhooks: [] });
    }
    for (const { event, webhook } of wanted) if (livingIds.has(webhook)) added.get(event)?.webhooks.push(webhook);
    return [...added.values()];
  }

  async function append(one: Append): Promise<'appended' | 'superseded'> {
    const { account, id: _id, fence } = one.poller;
    for (;;) {
      const poller = await pollers.findOne({ _id, account, fence }, { projection: begunFields });
      if (!poller) return 'superseded';
      if (poller.pending) {
        await complete(poller);
        continue;
      }
      const added = await newOf(one);
      const { lastPlace } = poller;
      const free = { _id, account, fence, lastPlace, pending: null };
      if (added.length === 0) {
        const { matchedCount } = await pollers.updateOne(free, { $set: { cursor: one.cursor } });
        if (matchedCount === 1) return 'appended';
        continue;
      }
      const pending = {
        cursor: one.cursor,
        at: new Date(await clock.recent()),
        events: added,
        ...(one.gap && { gap: true }),
      };
      const { matchedCount } = await pollers.updateOne(free, { $set: { pending } });
      if (matchedCount === 0) continue;
      await complete({ _id, account, lastPlace, pending });
      return 'appended';
    }
  }

  /** Appends an event without deliveries to a poller, whichever process runs it, and leaves the cursor as it is. */
  async function appendForStreams(
    { account, _id }: Pick<PollerDocument, '_id' | 'account'>,
    event: Omit<PendingAppend['events'][number], 'webhooks'>,
  ): Promise<void> {
    for (;;) {
      const poller = await pollers.findOne({ _id, account }, { projection: { ...begunFields, cursor: 1 } });
      if (!poller) return;
      if (poller.pending) {
        await complete(poller);
        continue;
      }
      const isKnown = await events.findOne({ _id: idOf(account, _id, event.id), account }, { projection: { _id: 1 } });
      if (isKnown) return;
      const { lastPlace, cursor } = poller;
      const pending = { cursor, at: new Date(await clock.recent()), events: [{ ...event, webhooks: [] }] };
      const free = { _id, account, lastPlace, cursor, pending: null };
      if ((await pollers.updateOne(free, { $set: { pending } })).matchedCount === 0) continue;
      await complete({ _id, account, lastPlace, pending });
      return;
    }
  }

  return { append, appendForStreams, complete };
}

export async function addAbsent<T extends EventDocument | DeliveryDocument>(
  collection: Collection<T>,
  documents: readonly T[],
  session?: ClientSession,
): Promise<void> {
  if (documents.length === 0) return;
  const writes = documents.map(({ _id, account, ...rest }) => ({
    updateOne: { filter: { _id, account }, update: { $setOnInsert: rest }, upsert: true },
  })) as unknown as AnyBulkWriteOperation<T>[];
  try {
    await collection.bulkWrite(writes, { ordered: false, ...(session && { session }) });
  } catch (error) {
    // If two upserts run at the same time, one may fail because the other has just inserted the document.
    if (session || !(error instanceof MongoBulkWriteError)) throw error;
    const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    if (failures.length === 0 || failures.some(({ code }) => code !== 11_000)) throw error;
  }
}
