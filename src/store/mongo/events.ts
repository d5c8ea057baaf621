import { type EventStore, eventTtlMs, type StoredEventRecord } from '../port.ts';
import { mongoAppend } from './append.ts';
import { idOf } from './collections.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { mongoLate } from './late-deliveries.ts';
import type { Parts } from './parts.ts';

/** The number of events in one message of the server. The largest have 180 KB. */
const batchSize = 25;

export function mongoEvents(parts: Parts): EventStore {
  const { link, clock } = parts;
  const { pollers, events, deliveries } = parts.collections;
  const { append } = mongoAppend(parts);
  const { queueLate } = mongoLate(parts);

  async function lastPlace(account: string, poller: string): Promise<number> {
    const known = await pollers.findOne({ _id: poller, account }, { projection: { lastPlace: 1 } });
    return known?.lastPlace ?? 0;
  }

  return {
    append: (one) => link.run(() => append(one)),
    queueLate: (late) => link.run(() => queueLate(late)),

    after: (account, poller, place, limit, maxChars = Number.POSITIVE_INFINITY) =>
      link.run(async () => {
        if (limit <= 0) return [];
        // Events after the last position belong to an incomplete append.
        const places = { $gt: place, $lte: await lastPlace(account, poller) };
        const expiresAt = { $gt: new Date(await clock.recent()) };
        const filter = { account, poller, place: places, expiresAt };
        const found: StoredEventRecord[] = [];
        let chars = 0;
        for await (const event of events.find(filter, { sort: { place: 1 }, limit, batchSize })) {
          const { id, type, at, sealed, place } = event;
          found.push({ id, type, at: at.getTime(), sealed, place });
          chars += sealed.length;
          if (chars >= maxChars) break;
        }
        return found;
      }),

    place: (account, poller, event) =>
      link.run(async () => {
        const expiresAt = { $gt: new Date(await clock.recent()) };
        const filter = { _id: idOf(account, poller, event), account, expiresAt };
        const found = await events.findOne(filter, { projection: { place: 1, at: 1 } });
        return found && { place: found.place, at: found.at.getTime() };
      }),

    sealed: (account, poller, event) =>
      link.run(async () => {
        const filter = { _id: idOf(account, poller, event), account };
        return (await events.findOne(filter, { projection: { sealed: 1 } }))?.sealed ?? null;
      }),

    lastPlace: (account, poller) => link.run(() => lastPlace(account, poller)),

    sweep: () =>
      link.run(async () => {
        const now = await clock.read();
        const past = { expiresAt: { $lte: new Date(now) } };
        const forgotten = await deleteInBatches(events, past);
        await deleteInBatches(deliveries, past);
        // Pollers are deleted after their events, because a new poller would use the same positions again.
        await pollers.deleteMany({
          keptUntil: { $lte: new Date(now) },
          appendedAt: { $lte: new Date(now - eventTtlMs) },
          pending: null,
        });
        return forgotten;
      }, 0),
  };
}
