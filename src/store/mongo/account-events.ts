import { type AccountEventStore, eventTtlMs, type LowCreditEvent } from '../port.ts';
import { addAbsent } from './append.ts';
import { idOf } from './collections.ts';
import type { Parts } from './parts.ts';

/** Events of an account belong to no poller. They have this id instead, which no poller has, so that no live stream reads them. */
const poller = 'account';

export function mongoAccountEvents({ link, collections }: Parts): AccountEventStore {
  const { lowCredit, webhooks, pollers, events, deliveries } = collections;

  /**
   * Queues the deliveries without a transaction, because a process that dies in a transaction would keep the pollers locked. All steps are
   * idempotent, and the last one ends the waiting, so that any process may repeat them.
   */
  async function queue(event: LowCreditEvent, type: string, sealed: string, wanted: readonly string[]): Promise<void> {
    const { id, account } = event;
    if (!(await lowCredit.findOne({ _id: id, account }))) return;
    const living = await webhooks.find({ _id: { $in: [...wanted] }, account }, { projection: { poller: 1 } }).toArray();
    if (living.length > 0) {
      const at = new Date(event.at);
      const common = { v: 1 as const, account, poller, place: event.at, type };
      const expiresAt = new Date(event.at + eventTtlMs);
      await addAbsent(events, [{ _id: idOf(account, poller, id), id, ...common, at, expiresAt, sealed }]);
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
      await pollers.updateMany({ _id: { $in: ids }, account }, { $set: { woken: true } });
    }
    await lowCredit.deleteOne({ _id: id, account });
  }

  return {
    waiting: (limit) =>
      link.run(async () => {
        const found = await lowCredit.find({}, { sort: { at: 1, _id: 1 }, limit }).toArray();
        return found.map(({ _id: id, account, at, credit, threshold }) => ({
          id,
          account,
          at: at.getTime(),
          credit: Number(credit),
          threshold: Number(threshold),
        }));
      }),
    queue: (event, type, sealed, wanted) => link.run(() => queue(event, type, sealed, wanted)),
  };
}
