import { isMessageEvent, type TypedEvent, typedEvents } from '../../shared/model/event.ts';
import type { DeliveryQueues } from '../delivery/delivery-queue.ts';
import type { DeliveryReader } from '../delivery/delivery-reader.ts';
import type { PollerRun, PollerWebhooks } from '../delivery/poller-run.ts';
import type { EventAllowances } from '../shared/event-allowance.ts';
import type { ActivityPage } from '../shared/platform-access.ts';
import { gapEvent, newEvent, splitForAppend } from '../shared/stored-event.ts';
import type { PollerMessages } from './poller-messages.ts';

export interface EventAppenderParts {
  run: PollerRun;
  webhooks: PollerWebhooks;
  messages: PollerMessages;
  queues: DeliveryQueues;
  reader: DeliveryReader;
  allowances: EventAllowances;
}

/** The bytes of a delivery in the store, without its attempts. */
const deliveryBytes = 512;

/** Stores events of the platform together with a delivery for each webhook that receives them, and then queues the deliveries. */
export class EventAppender {
  readonly #parts: EventAppenderParts;

  constructor(parts: EventAppenderParts) {
    this.#parts = parts;
  }

  /**
   * Appends a page of events. `before` is the cursor before the page; `null` if there was none yet. Returns false if another process has
   * taken over the poller. In this case the rest of the page was not stored.
   */
  async append({ events, cursor: after, gap }: ActivityPage, before: string | null): Promise<boolean> {
    const { run, webhooks, messages, queues, reader, allowances } = this.#parts;
    const { store, vault, monitor, record: poller } = run;
    const { account, id } = poller;
    // The webhooks are read again, because a webhook that was just created or became valid may receive these events.
    if (events.length > 0) await queues.read(false);
    const idOf = (event: TypedEvent) => vault.eventId(account, event.id, event.type);
    const opened = await messages.open(events.filter(isMessageEvent), idOf);
    const added = events.map((event) =>
      typedEvents(event).map((typed) => newEvent(idOf(typed), typed, opened.get(event.id))),
    );
    const wanted = added
      .flatMap((types) => webhooks.deliveriesOf(types))
      .filter(({ event, webhook }) => event.only === null || event.only.has(webhook));
    // The gap event comes first, because the missing events are older than the page. Its id is derived from the cursor, so repeated polls
    // store it only once.
    const gaps = gap ? [gapEvent(vault.eventId(account, before ?? after, 'gap'))] : [];
    const sealed = [gaps, ...added].map((group) =>
      group.map(({ id, type, kept }) => ({ id, type, sealed: vault.sealBody(account, id, kept) })),
    );
    const deliveries = wanted.map(({ event, webhook }) => ({ event: event.id, webhook }));
    // If a later part fails, the cursor has not moved, so the whole page is read again. The store ignores the parts that it already has.
    const parts = before === null ? [sealed.flat()] : splitForAppend(sealed);
    for (const [at, part] of parts.entries()) {
      const isLast = at === parts.length - 1;
      const cursor = (isLast ? null : before) ?? after;
      if ((await store.events.append({ poller, cursor, events: part, deliveries, gap })) === 'superseded') {
        run.supersede();
        return false;
      }
    }
    const bytes = sealed.flat().reduce((sum, event) => sum + event.sealed.length, 0);
    allowances.stored(poller, bytes + deliveries.length * deliveryBytes);
    const now = store.now();
    if (events.length > 0 || gap) {
      monitor.appended(
        poller,
        events.map(({ createdAt }) => now - Date.parse(createdAt)),
      );
    }
    for (const event of new Set(wanted.map(({ event }) => event))) reader.cacheBody(id, event.id, event.body);
    for (const { event, webhook } of wanted) {
      const delivery = { event: event.id, poller: id, attempts: 0, nextAt: 0, replayed: false, eventAt: now };
      queues.add(webhook, delivery);
    }
    if (gap) monitor.gap(poller);
    return true;
  }
}
