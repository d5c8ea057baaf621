import type { Dispatcher } from 'undici';
import { OutgoingConnections } from '../../outbound/connection-limiter.ts';
import { guardedAgent } from '../../outbound/connector.ts';
import { Exchange, type ExchangeOptions } from '../../outbound/exchange.ts';
import {
  AddressRefusedError,
  ConnectionLostError,
  faultCode,
  NameNotFoundError,
  ServerMisbehavedError,
} from '../../outbound/faults.ts';
import { OutboundGuard } from '../../outbound/guard.ts';
import type { LimitedDispatchOptions } from '../../outbound/limited-exchange.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

const maxUrlLength = 200;
const deadlineMs = 10_000;
/** The rest of a response is not read, and its connection is closed. */
const maxReadBytes = 16 * 1024;
/** Far more than arrives while `maxReadBytes` are read. */
const maxReceivedBytes = 1024 * 1024;
const excerptBytes = 1024;
const loopback = ['127.0.0.0/8', '::1/128'];

/** The response of a receiver. */
export interface ReceiverAnswer {
  status: number;
  /** The beginning of the body, up to 16 KiB. */
  text: string;
  retryAfter: string | null;
  durationMs: number;
}

/**
 * A request without a response. `fault` is the reason in one sentence. It contains nothing that a private address may have
 * sent.
 */
export interface ReceiverFault {
  fault: string;
  durationMs: number;
}

export interface ReceiversOptions {
  guard: OutboundGuard;
  runtime: Runtime;
  /** Allows `http://localhost` (docs/webhooks.md, Registration). */
  allowLocalhost: boolean;
  /** Certificate authorities to trust instead of the system's. */
  ca?: string;
  connections?: OutgoingConnections;
}

/**
 * Sends requests to the receivers of webhooks. Checks every address, follows no redirect, and limits each request to 10 s
 * and 16 KiB.
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
   * The address of a receiver (docs/webhooks.md, Registration): `https`, or `http://localhost` where that is allowed. Throws
   * `bad_input`.
   */
  readUrl(text: string): URL {
    if (text.length > maxUrlLength) throw malformedField('url', `must be at most ${maxUrlLength} characters`);
    if (this.#local && isLocalhost(text)) return new URL(text);
    if (this.#local && /^http:/i.test(text)) {
      throw malformedField(
        'url',
        'must be a URL with https://, or with http://localhost, by that name and without a user',
      );
    }
    return this.#options.guard.checkUrl(text, { field: 'url', schemes: ['https'] });
  }

  /** Sends a GET. `account` owns the webhook and shares the connection slots with other accounts. */
  get(account: string, url: URL, signal?: AbortSignal): Promise<ReceiverAnswer | ReceiverFault> {
    return endedBy(signal, (ending) => this.#ask('GET', account, url, {}, null, ending));
  }

  /** Sends a POST. See `get`. */
  post(account: string, url: URL, headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal) {
    return endedBy(signal, (ending) => this.#ask('POST', account, url, headers, body, ending));
  }

  /** Sends a POST that ends when the caller aborts `ending`. At the deadline `ending` is aborted too. */
  deliver(
    account: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    ending: AbortController,
  ): Promise<ReceiverAnswer | ReceiverFault> {
    return this.#ask('POST', account, url, headers, body, ending);
  }

  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#local?.destroy()]);
  }

  async #ask(
    method: 'GET' | 'POST',
    account: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    ending: AbortController,
  ): Promise<ReceiverAnswer | ReceiverFault> {
    const { runtime } = this.#options;
    const startedAt = runtime.now();
    let isLate = false;
    const timer = runtime.after(deadlineMs, () => {
      isLate = true;
      ending.abort();
    });
    const duration = () => runtime.now() - startedAt;
    let slotAt: number | null = null;
    const { signal } = ending;
    const options: ExchangeOptions & LimitedDispatchOptions = {
      origin: url.origin,
      host: url.hostname,
      method,
      path: url.pathname + url.search,
      account,
      headers: { 'user-agent': 'postern-webhooks', accept: 'application/json', ...headers },
      body,
      maxBodyBytes: maxReadBytes,
      signal,
      // A handshake is followed by another request of the same webhook in a day.
      reset: method === 'GET',
      onSlot: () => {
        slotAt = runtime.now();
      },
    };
    try {
      signal.throwIfAborted();
      // Only `readUrl` accepts such a URL.
      const isLocal = url.protocol === 'http:' && url.hostname === 'localhost';
      const exchange = new Exchange(this.#local && isLocal ? this.#local : this.#public, options);
      signal.addEventListener('abort', () => exchange.abort(signal.reason), { once: true });
      return { ...(await exchange.answer), durationMs: duration() };
    } catch (error) {
      const fault = isLate ? lateFault((slotAt ?? runtime.now()) - startedAt) : describe(error);
      return { fault, durationMs: duration() };
    } finally {
      timer.cancel();
    }
  }
}

/** Runs a request that ends when the signal is aborted. */
async function endedBy<Result>(
  signal: AbortSignal | undefined,
  run: (ending: AbortController) => Promise<Result>,
): Promise<Result> {
  // Not `AbortSignal.any`: a composite signal with its weak references costs about 10 µs of CPU for each request.
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  if (signal?.aborted) end();
  else signal?.addEventListener('abort', end, { once: true });
  try {
    return await run(ending);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function lateFault(waitedMs: number): string {
  const waited = Math.floor(waitedMs / 1_000);
  if (waited === 0) return 'no answer within 10 s';
  return `no answer within 10 s, ${waited} s of which it waited because too many other requests to its host were under way`;
}

export function excerptOf({ text }: ReceiverAnswer): string {
  return Buffer.from(text).subarray(0, excerptBytes).toString('utf8');
}

/** Strict, because `http://localhost:x@example.com` names another host and a user. */
function isLocalhost(text: string): boolean {
  return /^http:\/\/localhost(?::\d{1,5})?(?:[/?#][^\\\p{Cc}\p{Z}]*)?$/iu.test(text) && URL.canParse(text);
}

/** Describes a fault by the error code of Node or undici. The messages of errors can contain bytes from the receiver. */
function describe(error: unknown): string {
  if (error instanceof AddressRefusedError || error instanceof NameNotFoundError) return `its host ${error.message}`;
  if (error instanceof ConnectionLostError || error instanceof ServerMisbehavedError) return `it ${error.message}`;
  const code = faultCode(error);
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return `TLS failed (${code})`;
  if (code === 'ECONNREFUSED') return 'it refuses connections';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'no connection within 10 s';
  return `the connection broke (${code})`;
}
