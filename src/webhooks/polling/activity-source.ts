import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { PollerRecord } from '../../store/port.ts';
import type { PollerRun } from '../delivery/poller-run.ts';
import { type ActivityPage, type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import type { PollerCredentials } from '../shared/secrets.ts';
import type { LongPoll, LongPolls } from './long-polls.ts';
import { isRefusedResponse } from './poll-delays.ts';

/** The number of events that a request asks for. */
const eventsAtOnce = 100;
/** The number of events after a refused response, which may have been too large: ten long messages have less than 2 MiB. */
const eventsAfterRefusal = 10;
/** The maximum size of the responses to one poll, which may be many on the AT Protocol, in bytes. */
const maxBytesAtOnce = 16 * 1_024 * 1_024;

export interface ActivityResponse {
  page: ActivityPage;
  /** The number of events that were asked for. */
  count: number;
  /** The long poll of this request; `null` if the platform was not allowed to hold it. */
  longPoll: LongPoll | null;
  /** True if the request was allowed to wait, provided that a slot was free. */
  mayWait: boolean;
  durationMs: number;
}

/** The source of one poller's events: reads pages of the actor's activity from the platform, one at a time. */
export class ActivitySource {
  readonly #run: PollerRun;
  readonly #access: PlatformAccess;
  readonly #longPolls: LongPolls;
  /** Aborts requests that were not prefetched. One object serves many requests, because most pollers are idle and make no other garbage. */
  #abort = new AbortController();
  /** The last request. */
  #request: { abort: AbortController; mayWait: boolean } | null = null;
  /** The page after a full one. It is requested while the full one is stored. */
  #prefetched: { cursor: string; page: Promise<ActivityPage>; abort: AbortController } | null = null;
  /** The time until which a live stream needs the actor's events, as far as this process knows; `null` if there is no stream. */
  #streamedUntil: number | null;
  #hasProxy = false;
  #count = eventsAtOnce;
  #receivedBytes = 0;
  readonly #onResponse = (bytes: number): void => {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes > maxBytesAtOnce) {
      throw new PosternError('platform_unreadable', 'The responses of the platform to one poll are too large');
    }
  };

  constructor(run: PollerRun, access: PlatformAccess, longPolls: LongPolls) {
    this.#run = run;
    this.#access = access;
    this.#longPolls = longPolls;
    this.#streamedUntil = run.record.streamedUntil;
  }

  /** True if the last request went through a proxy. */
  get hasProxy(): boolean {
    return this.#hasProxy;
  }

  /** Returns the size of the responses since the last call, in bytes. */
  takeReceivedBytes(): number {
    const bytes = this.#receivedBytes;
    this.#receivedBytes = 0;
    return bytes;
  }

  /** Must be called when the poller was read again. Ends a long poll, and discards a prefetched page. */
  refresh({ streamedUntil }: PollerRecord): void {
    this.#streamedUntil = streamedUntil;
    this.#prefetched = null;
    if (this.#request?.mayWait) this.#request.abort.abort();
  }

  /** Aborts all requests. */
  abort(): void {
    this.#request?.abort.abort();
    this.#prefetched?.abort.abort();
  }

  /**
   * Requests the page after the cursor. `quietMs` is the time since the actor's last event. If `mayWait` is true, the platform may hold the
   * request until there are events. Returns `aborted` after `refresh` or `abort`, and `interrupted` if an error only ended a long poll, so
   * that the next request can follow at once. Throws other errors.
   */
  async read(
    cursor: string | null,
    { quietMs, mayWait }: { quietMs: number; mayWait: boolean },
  ): Promise<ActivityResponse | 'aborted' | 'interrupted'> {
    const { runtime } = this.#run;
    const startedAt = runtime.now();
    const prefetched = this.#prefetched?.cursor === cursor ? this.#prefetched : null;
    this.#prefetched = null;
    if (this.#abort.signal.aborted) this.#abort = new AbortController();
    const request = { abort: prefetched?.abort ?? this.#abort, mayWait: prefetched === null && mayWait };
    this.#request = request;
    let longPoll: LongPoll | null = null;
    try {
      const credentials = this.#credentials();
      this.#hasProxy = credentials.proxy !== null;
      if (request.mayWait) longPoll = await this.#beginLongPoll(credentials, quietMs);
      const page = await (prefetched?.page ?? this.#fetch(credentials, request.abort, cursor, longPoll?.ms ?? 0));
      this.#longPolls.succeeded(runtime.now());
      const count = this.#count;
      // The events that follow may be as large as those before.
      if (page.events.length < count) this.#count = eventsAtOnce;
      return { page, count, longPoll, mayWait: request.mayWait, durationMs: runtime.now() - startedAt };
    } catch (error) {
      if (request.abort.signal.aborted) return 'aborted';
      if (longPoll && isConnectionError(error)) {
        this.#longPolls.interrupted();
        return 'interrupted';
      }
      this.#longPolls.failed();
      if (isRefusedResponse(error)) this.#count = eventsAfterRefusal;
      throw error;
    } finally {
      longPoll?.end();
    }
  }

  /** Requests the page after the current one, for the next call of `read`. */
  prefetch(cursor: string): void {
    const abort = new AbortController();
    const page = this.#fetch(this.#credentials(), abort, cursor, 0);
    // The next call of `read` throws an error of this request. If `refresh` discards the page, the error is ignored.
    page.catch(() => {});
    this.#prefetched = { cursor, page, abort };
  }

  /**
   * Returns the pause in milliseconds before the next request, after a page that was not full. `idleMs` is the pause between requests that
   * do not wait.
   */
  pauseMs({ page, longPoll, mayWait, durationMs }: ActivityResponse, quietMs: number, idleMs: number): number {
    if (longPoll && page.events.length > 0) return this.#longPolls.pauseAfterEventsMs(this.#run.runtime.now());
    // A long poll that ended early without events must not be repeated immediately.
    if (longPoll) return durationMs < longPoll.ms ? Math.max(0, idleMs - durationMs) : 0;
    // The first poll cannot wait, so the next one follows immediately.
    return !mayWait && this.#longPolls.isActive(quietMs) ? 0 : idleMs;
  }

  #credentials(): PollerCredentials {
    return this.#run.vault.openPoller(this.#run.record);
  }

  async #fetch(
    credentials: PollerCredentials,
    { signal }: AbortController,
    cursor: string | null,
    waitMs: number,
  ): Promise<ActivityPage> {
    const session = pollerSession(this.#access, this.#run.record.account, credentials, signal, this.#onResponse);
    return session.activity({ count: this.#count, cursor, waitMs });
  }

  /** Returns `null` if the platform must respond at once. */
  async #beginLongPoll({ proxy }: PollerCredentials, quietMs: number): Promise<LongPoll | null> {
    const { platform, readProxy } = this.#access;
    const isActive = this.#longPolls.isActive(quietMs);
    const mayBeQuiet = !isActive && (platform.quietActorsWait || (await this.#isStreamed()));
    if (!isActive && !mayBeQuiet) return null;
    const name = proxy === null ? null : readProxy(new Secret(proxy)).name;
    return this.#longPolls.begin({ account: this.#run.record.account, proxy: name }, quietMs, mayBeQuiet);
  }

  /** Returns true if a live stream in any process needs the events. */
  async #isStreamed(): Promise<boolean> {
    const { store, record } = this.#run;
    if (this.#streamedUntil !== null && this.#streamedUntil <= store.now()) {
      this.#streamedUntil = (await store.pollers.find(record.account, record.id))?.streamedUntil ?? null;
    }
    if (this.#streamedUntil === null) return false;
    if (this.#streamedUntil > store.now()) return true;
    // The next stream notifies the poller.
    this.#streamedUntil = null;
    return false;
  }
}

/** Returns true for an error that ends a long poll and does not mean that the platform is unavailable, because proxies end idle connections. */
function isConnectionError(error: unknown): boolean {
  if (isRefusedResponse(error)) return false;
  return error instanceof PosternError && ['platform_unavailable', 'platform_timeout'].includes(error.code);
}
