import type { Dispatcher } from 'undici';
import { OutgoingConnections } from '../../outbound/connection-limiter.ts';
import { guardedAgent } from '../../outbound/connector.ts';
import {
  AddressRefusedError,
  ConnectionLostError,
  errorCode,
  NameNotFoundError,
  ServerMisbehavedError,
} from '../../outbound/errors.ts';
import { Exchange, type ExchangeOptions } from '../../outbound/exchange.ts';
import { OutboundGuard } from '../../outbound/guard.ts';
import type { LimitedDispatchOptions } from '../../outbound/limited-exchange.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

const maxUrlLength = 200;
const deadlineMs = 10_000;
/** The maximum number of bytes of a response that are read. The connection is closed after that. */
const maxReadBytes = 16 * 1024;
/** The maximum number of bytes received from a connection. This is far more than arrives while `maxReadBytes` are read. */
const maxReceivedBytes = 1024 * 1024;
const excerptBytes = 1024;
export const commonHeaders = { 'user-agent': 'postern-webhooks', accept: 'application/json' };
const loopback = ['127.0.0.0/8', '::1/128'];

export interface ReceiverResponse {
  status: number;
  /** The first 16 KiB of the response body. U+FFFD replaces bytes that are not UTF-8. */
  text: string;
  retryAfter: string | null;
  durationMs: number;
}

/**
 * A request that got no response. `reason` describes the failure in one sentence. The sentence contains no bytes from the receiver, because
 * the receiver may be a private address.
 */
export interface ReceiverFailure {
  reason: string;
  durationMs: number;
}

export type ReceiverAnswer = ReceiverResponse | ReceiverFailure;

/** Returns why the receiver did not accept an event; `null` if it did. */
export function failureOf(answer: ReceiverAnswer): string | null {
  if ('reason' in answer) return answer.reason;
  return answer.status >= 200 && answer.status < 300 ? null : `status ${answer.status}`;
}

export interface ReceiversOptions {
  guard: OutboundGuard;
  runtime: Runtime;
  /** Allows receivers on `http://localhost` (docs/webhooks.md, Registration). */
  allowLocalhost: boolean;
  /** Certificate authorities that replace those of the system. */
  ca?: string;
  connections?: OutgoingConnections;
}

/**
 * Sends requests to the receivers of webhooks. Checks every address, follows no redirects, and limits each request to 10 s and each
 * response to 16 KiB.
 */
export class Receivers {
  readonly #options: ReceiversOptions;
  readonly #public: Dispatcher;
  readonly #local: Dispatcher | null;

  constructor(options: ReceiversOptions) {
    const { guard, runtime, allowLocalhost, ca, connections = new OutgoingConnections() } = options;
    this.#options = options;
    const limiter = connections.receiver;
    const agent = (checked: OutboundGuard) =>
      guardedAgent({
        guard: checked,
        timeoutMs: deadlineMs,
        limiter,
        keepAlive: true,
        maxReceivedBytes,
        ...(ca !== undefined && { ca }),
      });
    this.#public = agent(guard);
    this.#local = allowLocalhost ? agent(new OutboundGuard({ allow: loopback, runtime })) : null;
  }

  /**
   * Parses the URL of a receiver (docs/webhooks.md, Registration). Accepts `https`, and `http://localhost` if that is enabled. Throws
   * `bad_input`.
   */
  readUrl(text: string): URL {
    if (text.length > maxUrlLength) throw malformedField('url', `must be at most ${maxUrlLength} characters`);
    if (this.#local && isLocalhost(text)) return new URL(text);
    if (this.#local && /^http:/i.test(text)) {
      throw malformedField('url', 'must be an https:// URL, or an http://localhost URL without a user name');
    }
    return this.#options.guard.checkUrl(text, { field: 'url', schemes: ['https'] });
  }

  /** Sends a GET request. `account` is the owner of the webhook. Accounts share the connection slots fairly. */
  get(account: string, url: URL, signal?: AbortSignal): Promise<ReceiverAnswer> {
    return this.#send('GET', account, url, {}, null, signal);
  }

  /** Sends a POST request. See `get` for `account`. */
  post(
    account: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<ReceiverAnswer> {
    return this.#send('POST', account, url, headers, body, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#local?.destroy()]);
  }

  async #send(
    method: 'GET' | 'POST',
    account: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    callerSignal: AbortSignal | undefined,
  ): Promise<ReceiverAnswer> {
    const { runtime } = this.#options;
    const startedAt = runtime.now();
    const controller = new AbortController();
    const { signal } = controller;
    let isLate = false;
    const timer = runtime.after(deadlineMs, () => {
      isLate = true;
      controller.abort();
    });
    // `AbortSignal.any` is not used, because its weak references cost about 10 µs of CPU time per request.
    const abort = () => controller.abort();
    callerSignal?.addEventListener('abort', abort, { once: true });
    const duration = () => runtime.now() - startedAt;
    let slotAt: number | null = null;
    const options: ExchangeOptions & LimitedDispatchOptions = {
      origin: url.origin,
      host: url.hostname,
      method,
      path: url.pathname + url.search,
      account,
      headers: { ...commonHeaders, ...headers },
      body,
      maxBodyBytes: maxReadBytes,
      signal,
      // The connection is closed after a handshake, because the next request of the webhook may come a day later.
      reset: method === 'GET',
      onSlot: () => {
        slotAt = runtime.now();
      },
    };
    try {
      callerSignal?.throwIfAborted();
      // `readUrl` accepts such a URL only if local receivers are enabled.
      const isLocal = url.protocol === 'http:' && url.hostname === 'localhost';
      const exchange = new Exchange(this.#local && isLocal ? this.#local : this.#public, options);
      signal.addEventListener('abort', () => exchange.abort(signal.reason), { once: true });
      const { status, retryAfter, body: received } = await exchange.answer;
      return { status, retryAfter, text: received.toString(), durationMs: duration() };
    } catch (error) {
      const failure = isLate ? timeoutReason((slotAt ?? runtime.now()) - startedAt) : describe(error);
      return { reason: failure, durationMs: duration() };
    } finally {
      timer.cancel();
      callerSignal?.removeEventListener('abort', abort);
    }
  }
}

function timeoutReason(waitedMs: number): string {
  const waited = Math.floor(waitedMs / 1_000);
  if (waited === 0) return 'no response within 10 s';
  return `no response within 10 s; the request waited for ${waited} s of them because of too many other requests to the same host`;
}

const encoder = new TextEncoder();
/** Receives the encoded excerpt, whose length is all that matters. */
const excerptBuffer = new Uint8Array(excerptBytes);

/**
 * Returns the first 1 KiB of the response body in UTF-8. Control characters are replaced with U+FFFD, which has already replaced all bytes
 * that are not UTF-8.
 */
export function excerptOf({ text }: ReceiverResponse): string {
  const printable = text.slice(0, excerptBytes).replace(/[^\P{Cc}\t\r\n]/gu, '\ufffd');
  const { read } = encoder.encodeInto(printable, excerptBuffer);
  return printable.slice(0, read);
}

/** The match is strict, because `http://localhost:x@example.com` has the host `example.com` and the user `localhost`. */
function isLocalhost(text: string): boolean {
  return /^http:\/\/localhost(?::\d{1,5})?(?:[/?#][^\\\p{Cc}\p{Z}]*)?$/iu.test(text) && parseUrl(text) !== null;
}

/**
 * Describes an error by the error code of Node or undici. The messages of these errors are not used, because they can contain bytes from
 * the receiver.
 */
function describe(error: unknown): string {
  if (error instanceof AddressRefusedError || error instanceof NameNotFoundError) return `its host ${error.message}`;
  if (error instanceof ConnectionLostError || error instanceof ServerMisbehavedError) return `it ${error.message}`;
  const code = errorCode(error);
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return `TLS failed (${code})`;
  if (code === 'ECONNREFUSED') return 'it refuses connections';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'no connection within 10 s';
  return `the connection broke (${code})`;
}
