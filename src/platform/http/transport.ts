import { LRUCache } from 'lru-cache';
import { buildConnector, type Dispatcher, type Pool } from 'undici';
import { CircuitBreaker } from '../../outbound/circuit-breaker.ts';
import { ConnectionLimiter } from '../../outbound/connection-limiter.ts';
import { ConnectionLostError, ServerMisbehavedError } from '../../outbound/errors.ts';
import type { Answer, ExchangeOptions } from '../../outbound/exchange.ts';
import { limitedPool } from '../../outbound/limited-client.ts';
import { type LimitedDispatchOptions, limitResponses } from '../../outbound/limited-exchange.ts';
import type { ForwardProxy } from '../../outbound/proxy.ts';
import type { ProxyLease, ProxyPool, ProxyTarget } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { methodAttribute, type Stage, type StageSpan, type Tracing } from '../../shared/observability/tracing.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { PlatformCall } from '../port.ts';
import { type AnswerLimits, maxResponseBytes, PlatformAnswer, usualLimits } from './answer.ts';
import { AnswerSlot } from './answer-slot.ts';
import { Attempts } from './attempts.ts';
import { DeadlineError, DisconnectedError, toCallerError } from './errors.ts';

export interface TransportOptions {
  timeoutMs: number;
  runtime: Runtime;
  proxies: ProxyPool;
  /** Counts the sockets that connect directly to the platform. */
  counter?: Pick<ConnectionLimiter, 'count'>;
  /** Connects to targets that callers choose. Required only by adapters with such targets. */
  guarded?: Dispatcher;
  /** Called after each request, for metrics. `outcome` is the HTTP status or the kind of failure. */
  onRequest?: (operation: string, outcome: string, durationMs: number) => void;
  /** Records each request as a span; `null` if no traces are exported. */
  tracing?: Tracing | null;
  /** True if the platform is the operator's own, so that it may get the `traceparent` header. The proxy of a caller never gets it. */
  isOwn?: boolean;
}

export interface TransportRequest {
  /** The name of the operation, for metrics. */
  operation: string;
  target: ProxyTarget;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** The request body, in memory. */
  text?: string | Buffer | undefined;
  /** The request body as a stream. Replaces `text`. */
  bytes?: Pick<TakenMedia, 'type' | 'size' | 'open'> | undefined;
  /**
   * The time that the platform may delay its response to wait for events, in milliseconds. Such a request has a longer
   * time limit and is not repeated.
   */
  waitMs?: number | undefined;
  /** The time limit in milliseconds, if it is shorter than the usual one. */
  mostMs?: number | undefined;
  /** The limits of the response that differ from `usualLimits`. */
  limits?: Partial<AnswerLimits> | undefined;
}

/** Uploads may take this many times as long as other calls. */
const uploadPatience = 10;

/**
 * The maximum number of requests that wait for events at the platform. They use separate connections, so that they do
 * not delay other requests.
 */
export const maxWaitingCalls = 500;

/** The maximum number of large responses that are received and parsed at once. One account gets at most two slots. */
const maxLargeAnswers = 8;

/** The number of origins whose circuit breakers are kept. */
const maxBreakers = 1_000;

/**
 * The HTTP client of platform adapters. It reuses connections, applies a time limit to every call, sends calls with a
 * proxy through the proxy, and maps failures to errors.
 */
export class Transport {
  readonly #pools = new Map<string, { pool: Pool; dispatcher: Dispatcher }>();
  readonly #breakers = new LRUCache<string, CircuitBreaker>({ max: maxBreakers });
  readonly #largeAnswers = new ConnectionLimiter({ perHost: maxLargeAnswers, total: maxLargeAnswers });
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and returns the result of `read` for any response. `read` must not send another request, because it
   * may hold an `AnswerSlot`. Throws a `PosternError`.
   */
  send<T>(
    request: TransportRequest,
    call: PlatformCall | null,
    read: (answer: PlatformAnswer) => T | Promise<T>,
  ): Promise<T> {
    const { tracing, isOwn } = this.#options;
    if (!tracing) return this.#send(request, call, read, null);
    return tracing.stage(stageOf(request, call), (span) => {
      const headers = isOwn && !call?.proxy ? { ...request.headers, ...span?.headers } : request.headers;
      return this.#send({ ...request, headers }, call, read, span);
    });
  }

  async #send<T>(
    request: TransportRequest,
    call: PlatformCall | null,
    read: (answer: PlatformAnswer) => T | Promise<T>,
    span: StageSpan | null,
  ): Promise<T> {
    const proxy = call?.proxy ?? null;
    if (!proxy) this.#breaker(request.target).enter();
    const { runtime, onRequest, isOwn = false } = this.#options;
    const limits: AnswerLimits = { ...usualLimits, ...request.limits };
    const startedAt = runtime.now();
    const isUntrusted = proxy !== null || request.target.chosenBy === 'caller';
    const slot = isUntrusted ? new AnswerSlot(this.#largeAnswers, call?.account ?? '') : null;
    let outcome = proxy ? 'proxy_failed' : 'failed';
    try {
      const answer = await this.#sendInTime(request, limits.bytes, call, slot);
      outcome = String(answer.status);
      call?.onResponse?.(answer.body.length, isUntrusted);
      span?.set({ 'http.response.status_code': answer.status });
      // Let other work run between responses, because reading a page of 100 tweets takes a millisecond and many
      // responses may arrive together.
      await turn();
      return await read(new PlatformAnswer(answer, limits, isOwn && !proxy));
    } catch (error) {
      const failure = toCallerError(error, proxy);
      if (failure.code === 'platform_timeout') outcome = 'timeout';
      throw failure;
    } finally {
      slot?.leave();
      onRequest?.(request.operation, outcome, runtime.now() - startedAt);
    }
  }

  /** The time limit of an upload in milliseconds. */
  get uploadMs(): number {
    return this.#options.timeoutMs * uploadPatience;
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#pools.values()].map(({ pool }) => pool.destroy()),
      this.#options.guarded?.destroy(),
    ]);
  }

  #breaker({ origin }: ProxyTarget): CircuitBreaker {
    const known = this.#breakers.get(origin);
    if (known) return known;
    const message = 'The platform does not answer; it is tried again every second';
    const breaker = new CircuitBreaker(this.#options.runtime, 'platform_paused', message);
    this.#breakers.set(origin, breaker);
    return breaker;
  }

  #direct({ target: { origin, chosenBy }, waitMs }: TransportRequest): Dispatcher {
    if (chosenBy === 'caller') {
      if (!this.#options.guarded) throw new Error('a target that a caller chose needs a guarded dispatcher');
      return this.#options.guarded;
    }
    const key = waitMs === undefined ? origin : `${origin} waiting`;
    const known = this.#pools.get(key);
    if (known) return known.dispatcher;
    const { counter } = this.#options;
    // undici's own timeouts are off, because each covers only a part of the call. The time limit below covers the whole
    // call.
    const pool = limitedPool(origin, {
      connect: buildConnector({}),
      ...(counter && { counter }),
      connections: waitMs === undefined ? 128 : maxWaitingCalls,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxReceivedBytes: 2 * maxResponseBytes,
    });
    const dispatcher = pool.compose(limitResponses);
    this.#pools.set(key, { pool, dispatcher });
    return dispatcher;
  }

  /** Sends a request within its time limit, and repeats it once if the connection broke and it is repeatable. */
  async #sendInTime(
    request: TransportRequest,
    maxBytes: number,
    call: PlatformCall | null,
    slot: AnswerSlot | null,
  ): Promise<Answer> {
    const attempts = new Attempts();
    const usualMs = request.bytes ? this.uploadMs : this.#options.timeoutMs + (request.waitMs ?? 0);
    const timeoutMs = Math.min(usualMs, request.mostMs ?? usualMs);
    const deadline = this.#options.runtime.after(timeoutMs, () => attempts.end(new DeadlineError()));
    const hangUp = () => attempts.end(new DisconnectedError());
    call?.signal?.addEventListener('abort', hangUp, { once: true });
    if (call?.signal?.aborted) hangUp();
    try {
      const answer = await this.#sendOnce(request, maxBytes, call, attempts, slot).catch((error) => {
        if (!isRepeatable(error, request) || attempts.ended) throw error;
        return this.#sendOnce(request, maxBytes, call, attempts, slot);
      });
      // The response may be complete before the call has its slot.
      await slot?.entered();
      return answer;
    } finally {
      deadline.cancel();
      call?.signal?.removeEventListener('abort', hangUp);
    }
  }

  /** Makes one attempt, which opens at most one connection. */
  #sendOnce(
    request: TransportRequest,
    maxBytes: number,
    call: PlatformCall | null,
    attempts: Attempts,
    slot: AnswerSlot | null,
  ): Promise<Answer> {
    const { target, method, path, headers, text, bytes } = request;
    // A stream can be read only once, so each attempt opens a new one.
    const stream = bytes?.open();
    stream?.on('error', (error) => attempts.end(error));
    const body = stream ?? text ?? null;
    // A body that is truncated after one more byte than allowed is refused as too long.
    const limits = { maxBodyBytes: maxBytes + 1, onLargeBody: slot ? () => slot.enter(attempts.signal) : undefined };
    const options: ExchangeOptions = { origin: target.origin, method, path, headers, body, ...limits };
    const sent = call?.proxy
      ? this.#sendThrough(call.proxy, call.account, request, options, attempts)
      : this.#sendDirectly(call?.account ?? '', request, options, attempts);
    return stream ? sent.finally(() => stream.destroy()) : sent;
  }

  async #sendDirectly(
    account: string,
    request: TransportRequest,
    options: ExchangeOptions,
    attempts: Attempts,
  ): Promise<Answer> {
    const { target } = request;
    const breaker = this.#breaker(target);
    const dispatcher = this.#direct(request);
    if (target.chosenBy === 'caller')
      return sendLimited(request, { ...options, account }, attempts, { dispatcher, breaker });
    try {
      return await attempts.send(dispatcher, options, () => breaker.answered());
    } catch (error) {
      if (isFailure(error, request)) breaker.failed();
      throw error;
    }
  }

  /**
   * Sends a call through its proxy. Failures count towards the circuit breaker of the proxy, and not of the platform.
   */
  async #sendThrough(
    proxy: ForwardProxy,
    account: string,
    request: TransportRequest,
    options: ExchangeOptions,
    attempts: Attempts,
  ): Promise<Answer> {
    const lease = this.#options.proxies.lease(proxy, request.target);
    try {
      return await sendLimited(request, { ...options, account }, attempts, lease);
    } finally {
      lease.release();
    }
  }
}

/** The span has no path and no query, because they contain ids and texts of users, and no address that a caller chose. */
function stageOf({ operation, target, method }: TransportRequest, call: PlatformCall | null): Stage {
  const { hostname, port, protocol } = new URL(target.origin);
  const address =
    target.chosenBy === 'operator'
      ? { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) }
      : {};
  return {
    name: `platform ${operation}`,
    kind: 'client',
    attributes: { 'http.request.method': methodAttribute(method), ...address, 'postern.proxy': call?.proxy != null },
  };
}

/**
 * Sends a request that may have to wait for one of this process's connections. The end of such a wait is not a failure of the other
 * side.
 */
async function sendLimited(
  request: TransportRequest,
  options: LimitedDispatchOptions,
  attempts: Attempts,
  { dispatcher, breaker }: Pick<ProxyLease, 'dispatcher' | 'breaker'>,
): Promise<Answer> {
  let isWaiting = true;
  const onSlot = () => {
    isWaiting = false;
  };
  try {
    const limited = { ...options, signal: attempts.signal, onSlot };
    return await attempts.send(dispatcher, limited, () => breaker.answered());
  } catch (error) {
    if (!isWaiting && isFailure(error, request)) breaker.failed();
    throw error;
  }
}

/**
 * Returns true if a request may be repeated after the error. A write is repeated only if it cannot have reached the
 * platform. If the tunnel of a proxy failed (a `PosternError`) or the response is not valid HTTP, the request is not
 * repeated.
 */
function isRepeatable(error: unknown, { method, waitMs }: TransportRequest): boolean {
  if (error instanceof PosternError || error instanceof ServerMisbehavedError) return false;
  return (method === 'GET' && waitMs === undefined) || error instanceof ConnectionLostError;
}

/**
 * Returns true if the circuit breaker should count the error. The end of a connection during a long wait is not
 * counted, because proxies close idle connections.
 */
function isFailure(error: unknown, { waitMs }: TransportRequest): boolean {
  return waitMs === undefined && !(error instanceof DisconnectedError);
}
