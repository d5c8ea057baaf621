import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { PosternError } from './errors.ts';
import { type CallOptions, type Endpoint, firstPauseMs, type Input, type Transport } from './transport.ts';
import { sleep, Watchdog } from './watchdog.ts';
import type { WebhookEvent, WebhookTestEvent } from './webhooks/events.ts';

/** Reports that events may be missing before the next event. */
export interface GapEvent {
  type: 'gap';
  /** The id of this report. `null` if the stream continues after the last event. */
  id: string | null;
  reason: string;
}

/** An event of the live stream. */
export type StreamEvent = Exclude<WebhookEvent, WebhookTestEvent> | GapEvent;

/** The service sends something every 15 s, so a connection without data for this time is lost. */
const silenceMs = 45_000;
const longestPauseMs = 30_000;
const maxEventCharacters = 8 * 1024 * 1024;

/**
 * The live stream of events. The connection is opened when a loop begins, and opened again after the last event whenever it breaks. Only an
 * error that a retry cannot repair ends the loop.
 */
export class EventStream implements AsyncIterable<StreamEvent> {
  readonly #transport: Transport;
  readonly #endpoint: Endpoint;
  readonly #input: Input;
  readonly #options: CallOptions;
  #lastEventId: string | null;

  constructor(
    transport: Transport,
    endpoint: Endpoint,
    { last_event_id: after = null, ...input }: Input,
    options: CallOptions,
  ) {
    this.#transport = transport;
    this.#endpoint = endpoint;
    this.#input = input;
    this.#options = options;
    this.#lastEventId = after as string | null;
  }

  /** The id of the last event that the loop has handled, which means that the loop has asked for the next event. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** Another loop continues after `lastEventId`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    const request = await this.#transport.prepare(this.#endpoint, this.#input, this.#options);
    let opened = false;
    for (let failures = 0; ; failures++) {
      const watchdog = new Watchdog(request.signal);
      let waitMs: number | null = null;
      let openedAt = Number.POSITIVE_INFINITY;
      try {
        const after: Record<string, string> = this.#lastEventId === null ? {} : { 'last-event-id': this.#lastEventId };
        const response = await this.#transport.open(request, watchdog, after);
        // There is no event after which the stream could continue.
        if (opened && this.#lastEventId === null)
          yield { type: 'gap', id: null, reason: 'The connection broke before the first event' };
        opened = true;
        openedAt = Date.now();
        for await (const message of messagesOf(response, watchdog)) {
          const event = eventOf(message);
          // The event `error` is the last one of a stream. If the cause lasts, the next connection is refused.
          if (event === null) break;
          failures = 0;
          yield event;
          this.#lastEventId = event.id ?? this.#lastEventId;
        }
      } catch (thrown) {
        if (request.signal?.aborted) throw request.signal.reason;
        const cause: unknown = watchdog.signal.aborted ? watchdog.signal.reason : thrown;
        const error = cause instanceof PosternError ? cause : this.#transport.connectionError(request, cause);
        // The encryption code was accepted when the stream opened.
        waitMs = this.#transport.waitBeforeRetry({ ...request, guesses: request.guesses && !opened }, error, failures);
        if (waitMs === null || (!opened && failures >= request.maxRetries)) throw error;
      } finally {
        watchdog.abort();
      }
      // Proxies close quiet streams now and then, which is no failure.
      if (Date.now() - openedAt > longestPauseMs) failures = 0;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      await sleep(Math.max(waitMs ?? 0, pauseMs * (0.5 + Math.random() / 2)), request.signal);
    }
  }
}

async function* messagesOf(
  response: Response,
  watchdog: Watchdog,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void waiting.push(message), maxBufferSize: maxEventCharacters });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      watchdog.restart(silenceMs);
      const read = await watchdog.wait(reader.read());
      if (read.done) return;
      parser.feed(decoder.decode(read.value, { stream: true }));
      // The time that the loop needs for an event is not silence.
      watchdog.pause();
      yield* waiting.splice(0);
    }
  } finally {
    // A stream of another `fetch` may never end its cancellation.
    void reader.cancel().catch(() => {});
  }
}

/** Returns the event of a message. `null` for the message that ends the stream. */
function eventOf({ id, event, data }: EventSourceMessage): StreamEvent | null {
  if (event === 'error') return null;
  const body = JSON.parse(data) as StreamEvent;
  return event === 'gap' ? { type: 'gap', id: id ?? null, reason: (body as GapEvent).reason } : body;
}
