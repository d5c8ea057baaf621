import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';
import { limitedPool } from '../../outbound/limited-client.ts';
import type { CancelSignal } from '../../shared/runtime/cancellation.ts';
import { chance, type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { subjectsOf } from './jetstream-event.ts';
import { collections } from './records.ts';

/** The maximum number of accounts that are watched. */
export const maxWatched = 10_000;
/** Records have at most 1 MB, but those of the wanted collections only a few KB. */
const maxMessageBytes = 64 * 1_024;
/** A connection without a message for this time is replaced, because its end may not have been noticed. */
const silentMs = 60_000;
const checkMs = 20_000;
/** A lost connection that lasted for less than this time is a failure, because each loss makes all watched accounts be polled. */
const steadyMs = 60_000;
const maxBackoffMs = 60_000;

export interface JetstreamOptions {
  /** The origin, such as `wss://jetstream1.us-east.bsky.network`. */
  origin: string;
  runtime: Runtime;
  /** Called when a connection begins and ends, for metrics. */
  onConnection: (outcome: 'connected' | 'lost', durationMs: number) => void;
}

interface Connection {
  agent: Agent;
  startedAt: number;
  messageAt: number;
}

/**
 * A connection to Jetstream, which reports the records of the whole network as JSON
 * (https://github.com/bluesky-social/jetstream). It is used only to learn which accounts may have new notifications.
 * It connects when the first account is watched, and connects again after it was lost.
 */
export class Jetstream {
  readonly #options: JetstreamOptions;
  readonly #url: string;
  /** The time of the last record about each watched account. */
  readonly #notifiedAt = new LRUCache<string, number>({ max: maxWatched });
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #checks: Timer;
  #connection: Connection | null = null;
  #connectedAt: number | null = null;
  #failures = 0;
  #retry: Timer | undefined;
  #closed = false;

  constructor(options: JetstreamOptions) {
    const { post, like, repost, follow } = collections;
    const query = new URLSearchParams({ maxMessageSizeBytes: String(maxMessageBytes) });
    for (const collection of [post, like, repost, follow]) query.append('wantedCollections', collection);
    this.#options = options;
    this.#url = `${options.origin}/subscribe?${query}`;
    this.#checks = repeat(options.runtime, checkMs, async () => this.#endSilent());
  }

  /** Returns true if the stream was connected since `at` and had no record about the account. Watches the account. */
  isQuietSince(did: string, at: number): boolean {
    if (this.#connection === null && this.#retry === undefined) this.#connect();
    const notifiedAt = this.#notifiedAt.get(did);
    if (notifiedAt === undefined) {
      this.#notifiedAt.set(did, Number.NEGATIVE_INFINITY);
      return false;
    }
    return this.#connectedAt !== null && this.#connectedAt < at && notifiedAt < at;
  }

  /** Returns true if the stream had a record about the account since `at`. */
  isNotifiedSince(did: string, at: number): boolean {
    return (this.#notifiedAt.get(did) ?? Number.NEGATIVE_INFINITY) >= at;
  }

  /** Resolves when there is a record about the account, when the connection is lost, after `ms`, or when the signal is aborted. */
  wait(did: string, ms: number, signal: CancelSignal | null): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(did) ?? new Set();
      const end = () => {
        timer.cancel();
        signal?.removeEventListener('abort', end);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(did);
        resolve();
      };
      const timer = this.#options.runtime.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
      waiting.add(end);
      this.#waiting.set(did, waiting);
      if (signal?.aborted) end();
    });
  }

  close(): void {
    this.#closed = true;
    this.#checks.cancel();
    this.#retry?.cancel();
    this.#lose(this.#connection);
  }

  #connect(): void {
    if (this.#closed) return;
    const { runtime } = this.#options;
    const agent = new Agent({
      webSocket: { maxPayloadSize: 2 * maxMessageBytes },
      factory: (origin) => limitedPool(origin, { connect: buildConnector({}) }),
    });
    const connection: Connection = { agent, startedAt: runtime.now(), messageAt: runtime.now() };
    this.#connection = connection;
    this.#open(connection).catch(() => this.#lose(connection));
  }

  async #open(connection: Connection): Promise<void> {
    const { runtime, onConnection } = this.#options;
    // The file is imported directly, because the build leaves out undici's index (scripts/build/undici.ts).
    const { WebSocket } = await import('undici/lib/web/websocket/websocket.js');
    const socket = new WebSocket(this.#url, { dispatcher: connection.agent });
    socket.addEventListener('open', () => {
      if (this.#connection !== connection) return;
      this.#connectedAt = runtime.now();
      onConnection('connected', runtime.now() - connection.startedAt);
    });
    socket.addEventListener('message', ({ data }) => {
      connection.messageAt = runtime.now();
      if (typeof data === 'string' && data.length <= maxMessageBytes) this.#read(data);
    });
    socket.addEventListener('error', () => this.#lose(connection));
    socket.addEventListener('close', () => this.#lose(connection));
  }

  #read(text: string): void {
    for (const did of subjectsOf(text)) {
      if (!this.#notifiedAt.has(did)) continue;
      this.#notifiedAt.set(did, this.#options.runtime.now());
      for (const end of this.#waiting.get(did) ?? []) end();
    }
  }

  #endSilent(): void {
    const connection = this.#connection;
    if (connection && this.#options.runtime.now() - connection.messageAt > silentMs) this.#lose(connection);
  }

  #lose(connection: Connection | null): void {
    if (connection === null || this.#connection !== connection) return;
    const { runtime, onConnection } = this.#options;
    this.#connection = null;
    this.#connectedAt = null;
    void connection.agent.destroy().catch(() => {});
    const lastedMs = runtime.now() - connection.startedAt;
    if (lastedMs > steadyMs) this.#failures = 0;
    onConnection('lost', lastedMs);
    for (const waiting of [...this.#waiting.values()]) for (const end of [...waiting]) end();
    if (this.#closed) return;
    const backoffMs = Math.min(maxBackoffMs, 1_000 * 2 ** this.#failures++) * (0.5 + chance(runtime) / 2);
    this.#retry = runtime.after(backoffMs, () => {
      this.#retry = undefined;
      this.#connect();
    });
  }
}
