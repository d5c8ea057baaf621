import { isMessageEvent, type PlatformEvent } from '../../shared/model/event.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store } from '../../store/port.ts';
import type { DeliveryQueues } from '../delivery/delivery-queues.ts';
import type { PollerWebhooks } from '../delivery/poller-webhooks.ts';
import type { PollerMonitor, PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { gapEvent, newEvent, splitForAppend } from '../shared/stored-event.ts';
import type { PollerMessages } from './poller-messages.ts';

export interface EventAppenderParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  run: PollerRun;
  webhooks: PollerWebhooks;
  messages: PollerMessages;
  queues: DeliveryQueues;
  monitor: PollerMonitor;
}

/** Events of the platform, and the cursors before (`null`: there was none) and after them. */
export interface EventPage {
  events: readonly PlatformEvent[];
  before: string | null;
  after: string;
  /** The platform did not keep all events before these. */
  gap: boolean;
}

/** Stores the events of the platform with a delivery for each webhook that receives them, then queues the deliveries. */
export class EventAppender {
  readonly #parts: EventAppenderParts;

  constructor(parts: EventAppenderParts) {
    this.#parts = parts;
  }

  /** Returns false if another process runs the poller: then the rest was not stored. */
  async append({ events, before, after, gap }: EventPage): Promise<boolean> {
    const { store, vault, runtime, run, webhooks, messages, queues, monitor } = this.#parts;
    const poller = run.record;
    const { account } = poller;
    // A webhook that was just created or became valid may receive these events, so the webhooks are read again.
    if (events.length > 0) await queues.read(false);
    const idOf = (event: PlatformEvent) => vault.eventId(account, event.id, event.type);
    const opened = await messages.open(poller, events.filter(isMessageEvent), idOf);
    const added = events.map((event) => newEvent(idOf(event), event, opened.get(event.id)));
    const wanted = added.flatMap((event) =>
      webhooks
        .wanting(event.type)
        .filter((webhook) => event.only === null || event.only.has(webhook.id))
        .map((webhook) => ({ event, webhook: webhook.id })),
    );
    // The gap comes first, because it is before these events. Its id derives from the cursor, so that repeated polls store it once.
    const gaps = gap ? [gapEvent(vault.eventId(account, before ?? after, 'gap'))] : [];
    const sealed = [...gaps, ...added].map(({ id, type, kept }) => ({
      ...{ id, type },
      sealed: vault.sealBody(account, id, kept),
    }));
    const deliveries = wanted.map(({ event, webhook }) => ({ event: event.id, webhook }));
    // If a later part fails, the cursor has not moved and the page comes again. The store then ignores the parts that it has.
    const parts = before === null ? [sealed] : splitForAppend(sealed);
    for (const [at, part] of parts.entries()) {
      const isLast = at === parts.length - 1;
      const cursor = (isLast ? null : before) ?? after;
      if ((await store.events.append({ poller, cursor, events: part, deliveries })) === 'superseded') {
        run.supersede();
        return false;
      }
    }
    const now = runtime.now();
    if (added.length > 0 || gap) {
      monitor.appended(
        poller,
        added.map(({ createdAt }) => now - createdAt),
      );
    }
    for (const { event, webhook } of wanted) {
      const delivery = { event: event.id, body: event.body, attempts: 0, nextAt: now, replayed: false, eventAt: now };
      queues.add(webhook, delivery);
    }
    if (gap) monitor.gap(poller);
    return true;
  }
}
