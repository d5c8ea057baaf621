import { type EventType, isMessageType } from '../model/event.ts';
import { type Runtime, repeat, sleep } from '../runtime/runtime.ts';
import type { NewPoller, PlacedEvent, Store } from '../store/port.ts';
import { gapType, readGap } from './gap.ts';
import type { MessageOpener, Opening } from './message-opener.ts';
import type { WebhookVault } from './secrets.ts';
import { StreamMessages } from './stream-messages.ts';

/** How long a poller runs on after its last stream closed (DESIGN.md). */
const keptMs = 5 * 60_000;
/** Between two looks at the store for what another process appended. */
const lookMs = 1_000;
const eventsAtOnce = 100;

export interface StreamRequest {
  poller: NewPoller;
  /** `null`: all. */
  types: readonly EventType[] | null;
  /** Id of the last event that the reader has; `null`: it begins with what is new. */
  after: string | null;
  /** Opens messages; without it there are none in the stream. */
  opening: Opening | null;
}

/** `gap`: events that the reader did not get may have happened, and are not kept (any more). Some have an id to go on behind. */
export type StreamItem =
  | { kind: 'event'; id: string; type: string; body: string }
  | { kind: 'gap'; id: string | null; reason: string };

/** A stream that is open until its reader, or this process, ends it. */
export interface LiveStream {
  readonly items: AsyncIterable<StreamItem>;
  end(): void;
}

export interface LiveStreamsParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  opener: MessageOpener;
}

/** Live streams: what webhooks of the same actor would get, read from the store, so that any process can serve them. */
export class LiveStreams {
  readonly #parts: LiveStreamsParts;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #ends = new Set<() => void>();

  constructor(parts: LiveStreamsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#ends.size;
  }

  /** A poller that runs here has appended something. */
  appended(poller: string): void {
    for (const wake of this.#waiting.get(poller) ?? []) wake();
  }

  /** It must be ended, whatever happens. */
  open(request: StreamRequest): LiveStream {
    const controller = new AbortController();
    const end = () => {
      controller.abort();
      this.#ends.delete(end);
      this.appended(request.poller.id);
    };
    this.#ends.add(end);
    return { items: this.#read(request, controller.signal), end };
  }

  /** Ends all that are open. */
  close(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Backfills from the store, then goes on until it is ended. A reader that does not read holds nothing up but itself. */
  async *#read({ poller, types, after, opening }: StreamRequest, ended: AbortSignal): AsyncGenerator<StreamItem> {
    const { store, vault, runtime } = this.#parts;
    const { account, id } = poller;
    const messages = new StreamMessages({ ...this.#parts, opening, ended });
    const keep = () => store.pollers.keepForStream(poller, store.now() + keptMs);
    await keep();
    const keeping = repeat(runtime, keptMs / 5, () => keep().catch(() => {}));
    try {
      const known = after === null ? null : await store.events.place(account, id, after);
      let place = known?.place ?? (after === null ? await store.events.lastPlace(account, id) : 0);
      if (after !== null) {
        const reason = known
          ? await this.#missedSince(known.at, poller)
          : 'The last event that you have is not kept any more';
        if (reason !== null) yield { kind: 'gap', id: null, reason };
      }
      while (!ended.aborted) {
        const events = await store.events.after(account, id, place, eventsAtOnce);
        for (const event of events) {
          if (ended.aborted) return;
          place = event.place;
          const item = isMessageType(event.type)
            ? await messages.itemOf(event, types)
            : itemOf(event, types, ({ id, sealed }) => vault.openBody(account, id, sealed));
          if (item) yield item;
        }
        if (events.length < eventsAtOnce && !ended.aborted) await this.#news(id);
      }
    } finally {
      keeping.cancel();
      // It runs on for a while, for a reader that comes back.
      await keep().catch(() => {});
    }
  }

  /** Why something may be missing behind what happened at `at`; `null` where all of it is kept. */
  async #missedSince(at: number, { account, id }: NewPoller): Promise<string | null> {
    const poller = await this.#parts.store.pollers.find(account, id);
    // It began anew, since nothing had kept it (`webhook-port.ts`).
    return poller && poller.createdAt > at ? 'For a while after the last event that you have, nobody listened' : null;
  }

  async #news(poller: string): Promise<void> {
    const waiting = this.#waiting.get(poller) ?? new Set();
    this.#waiting.set(poller, waiting);
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      waiting.add(resolve);
    });
    await Promise.race([woken, sleep(this.#parts.runtime, lookMs)]);
    waiting.delete(wake);
    if (waiting.size === 0) this.#waiting.delete(poller);
  }
}

function itemOf(
  event: PlacedEvent,
  types: readonly EventType[] | null,
  open: (event: PlacedEvent) => string,
): StreamItem | null {
  const { id, type } = event;
  if (type === gapType) return { kind: 'gap', id, reason: readGap(open(event)) };
  if (types && !types.some((wanted) => wanted === type)) return null;
  return { kind: 'event', id, type, body: open(event) };
}
