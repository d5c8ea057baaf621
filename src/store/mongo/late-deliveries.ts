import type { LateDeliveries } from '../port.ts';
import { addAbsent } from './append.ts';
import { idOf } from './collections.ts';
import type { Parts } from './parts.ts';
import type { DeliveryDocument } from './webhook-documents.ts';

export function mongoLate({ clock, collections }: Parts) {
  const { pollers, webhooks, events, deliveries } = collections;

  /** Queues late deliveries. A process that is suspended after the check of the fence queues the same deliveries as its successor. */
  async function queueLate({ poller, events: given, deliveries: wanted }: LateDeliveries) {
    const { account, id, fence } = poller;
    if (!(await pollers.findOne({ _id: id, account, fence }, { projection: { _id: 1 } }))) return 'superseded';
    const rewritten = given.map(({ id: event, sealed }) => ({
      updateOne: { filter: { _id: idOf(account, id, event), account }, update: { $set: { sealed } } },
    }));
    if (rewritten.length > 0) await events.bulkWrite(rewritten, { ordered: false });
    const eventIds = [...new Set(wanted.map(({ event }) => idOf(account, id, event)))];
    const webhookIds = [...new Set(wanted.map(({ webhook }) => webhook))];
    const [kept, living, now] = await Promise.all([
      events.find({ _id: { $in: eventIds }, account }, { projection: { sealed: 0 } }).toArray(),
      webhooks.find({ _id: { $in: webhookIds }, account }, { projection: { _id: 1 } }).toArray(),
      clock.recent(),
    ]);
    const eventOf = new Map(kept.map((event) => [event.id, event]));
    const nextAt = new Date(now);
    const livingIds = new Set(living.map(({ _id }) => _id));
    const late = wanted.flatMap(({ event: name, webhook }): DeliveryDocument[] => {
      const event = eventOf.get(name);
      if (!event || !livingIds.has(webhook)) return [];
      const { place, type, at: eventAt, expiresAt } = event;
      return [
        {
          _id: idOf(account, name, webhook),
          v: 1,
          account,
          event: name,
          webhook,
          poller: id,
          place,
          type,
          eventAt,
          expiresAt,
          state: 'waiting',
          attempts: 0,
          nextAt,
          replayed: false,
          last: null,
        },
      ];
    });
    await addAbsent(deliveries, late);
    return 'queued';
  }

  return { queueLate };
}
