import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import { type ActivityPage, type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import type { PollerRun } from '../shared/poller-run.ts';
import type { PollerCredentials, WebhookVault } from '../shared/secrets.ts';
import type { ActivityWait, ActivityWaits } from './activity-waits.ts';
import { isRefusedResponse } from './refused-responses.ts';

/** The number of events that a request asks for. */
const eventsAtOnce = 100;
/** The number of events after a refused response, which may have been too large: ten long messages have less than 2 MiB. */
const eventsAfterRefusal = 10;
/** The maximum size of the responses to one poll, which may be many on the AT Protocol, in bytes. */
const maxBytesAtOnce = 16 * 1_024 * 1_024;

export interface ActivityRequestsParts extends PlatformAccess {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  run: PollerRun;
  waits: ActivityWaits;
}

export interface ActivityResponse {
  page: ActivityPage;
  /** The number of events that were asked for. */
  count: number;
  /** The wait of this request; `null` if the platform was not allowed to hold it. */
  wait: ActivityWait | null;
  /** True if the request was allowed to wait, provided that a slot was free. */
  mayWait: boolean;
}

/** Requests pages of an actor's events from the platform for one poller. Each request must be ended before the next one. */
export class ActivityRequests {
  readonly #parts: ActivityRequestsParts;
  /** Aborts requests that were not made ahead. One object serves many requests, because most pollers are idle and make no other garbage. */
  #abort = new AbortController();
  #current: { abort: AbortController; mayWait: boolean; wait: ActivityWait | null } | null = null;
  /** The page after a full one. It is requested while the full one is stored. */
  #ahead: { cursor: string; page: Promise<ActivityPage>; abort: AbortController } | null = null;
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

  constructor(parts: ActivityRequestsParts) {
    this.#parts = parts;
    this.#streamedUntil = parts.run.record.streamedUntil;
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

  /** True if `refresh` or `abort` ended the current request. */
  get isAborted(): boolean {
    return this.#current?.abort.signal.aborted === true;
  }

  /** Must be called when the poller was read again. Ends a request that waits, and discards a page that was requested ahead. */
  refresh({ streamedUntil }: PollerRecord): void {
    this.#streamedUntil = streamedUntil;
    this.#ahead = null;
    if (this.#current?.mayWait) this.#current.abort.abort();
  }

  /** Aborts all requests. */
  abort(): void {
    this.#current?.abort.abort();
    this.#ahead?.abort.abort();
  }

  /**
   * Requests the page after the cursor. `quietMs` is the time since the actor's last event. If `worked` is true, the platform may hold the
   * request until there are events.
   */
  async begin(
    cursor: string | null,
    { quietMs, worked }: { quietMs: number; worked: boolean },
  ): Promise<ActivityResponse> {
    const ahead = this.#ahead?.cursor === cursor ? this.#ahead : null;
    this.#ahead = null;
    if (this.#abort.signal.aborted) this.#abort = new AbortController();
    const current = {
      abort: ahead?.abort ?? this.#abort,
      mayWait: ahead === null && worked,
      wait: null as ActivityWait | null,
    };
    this.#current = current;
    const credentials = this.#credentials();
    this.#hasProxy = credentials.proxy !== null;
    if (current.mayWait && this.#mayBeHeld(quietMs)) current.wait = await this.#beginWait(credentials, quietMs);
    const page = await (ahead?.page ?? this.#ask(credentials, current.abort, cursor, current.wait?.ms ?? 0));
    const count = this.#count;
    // The events that follow may be as large as those before.
    if (page.events.length < count) this.#count = eventsAtOnce;
    return { page, count, wait: current.wait, mayWait: current.mayWait };
  }

  /** Must be called when a response was refused. The next requests ask for fewer events. */
  refused(): void {
    this.#count = eventsAfterRefusal;
  }

  /** Requests the page after the current one, for the next call of `begin`. */
  askAhead(cursor: string): void {
    const abort = new AbortController();
    const page = this.#ask(this.#credentials(), abort, cursor, 0);
    // The next call of `begin` throws an error of this request. If `refresh` discards the page, the error is ignored.
    page.catch(() => {});
    this.#ahead = { cursor, page, abort };
  }

  /** Returns true if the error only interrupted a wait, so that the next request can follow at once. */
  isBrokenOff(error: unknown): boolean {
    const { waits } = this.#parts;
    if (this.#current?.wait && isConnectionError(error)) {
      waits.broke();
      return true;
    }
    waits.failed();
    return false;
  }

  /** Ends the current request. */
  end(): void {
    this.#current?.wait?.end();
    this.#current = null;
  }

  #credentials(): PollerCredentials {
    return this.#parts.vault.openPoller(this.#parts.run.record);
  }

  async #ask(
    credentials: PollerCredentials,
    { signal }: AbortController,
    cursor: string | null,
    waitMs: number,
  ): Promise<ActivityPage> {
    const session = pollerSession(this.#parts, this.#parts.run.record.account, credentials, signal, this.#onResponse);
    return session.activity({ count: this.#count, cursor, waitMs });
  }

  /** Returns false if the request of this actor certainly may not wait. */
  #mayBeHeld(quietMs: number): boolean {
    const { waits, platform } = this.#parts;
    return waits.isActive(quietMs) || platform.quietActorsWait || this.#streamedUntil !== null;
  }

  async #beginWait({ proxy }: PollerCredentials, quietMs: number): Promise<ActivityWait | null> {
    const { waits, run, readProxy, platform } = this.#parts;
    const mayBeQuiet = !waits.isActive(quietMs) && (platform.quietActorsWait || (await this.#isStreamed()));
    const name = proxy === null ? null : readProxy(new Secret(proxy)).name;
    return waits.begin({ account: run.record.account, proxy: name }, quietMs, mayBeQuiet);
  }

  /** Returns true if a live stream in any process needs the events. */
  async #isStreamed(): Promise<boolean> {
    const { store, run } = this.#parts;
    const { account, id } = run.record;
    if (this.#streamedUntil !== null && this.#streamedUntil <= store.now()) {
      this.#streamedUntil = (await store.pollers.find(account, id))?.streamedUntil ?? null;
    }
    if (this.#streamedUntil === null) return false;
    if (this.#streamedUntil > store.now()) return true;
    // The next stream notifies the poller.
    this.#streamedUntil = null;
    return false;
  }
}

/** Returns true for an error that ends a wait and does not mean that the platform is unavailable, because proxies end idle connections. */
function isConnectionError(error: unknown): boolean {
  if (isRefusedResponse(error)) return false;
  return error instanceof PosternError && ['platform_unavailable', 'platform_timeout'].includes(error.code);
}
