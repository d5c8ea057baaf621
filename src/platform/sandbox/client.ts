import type { Readable } from 'node:stream';
import { buildConnector, type Dispatcher, type Pool } from 'undici';
import { CircuitBreaker } from '../../outbound/circuit-breaker.ts';
import type { ConnectionLimiter } from '../../outbound/connection-limiter.ts';
import type { Answer } from '../../outbound/exchange.ts';
import { ConnectionLostError, ServerMisbehavedError, withoutText } from '../../outbound/faults.ts';
import { limitedPool } from '../../outbound/limited-client.ts';
import { type LimitedDispatchOptions, limitResponses } from '../../outbound/limited-exchange.ts';
import type { ForwardProxy } from '../../outbound/proxy.ts';
import type { ProxyPool } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { PlatformCall } from '../port.ts';
import { Attempts } from './exchange.ts';
import { type ProblemSubject, readProblem } from './problems.ts';
import { asWire, NonsenseError, parseJson, type Wire } from './wire.ts';

export interface ClientOptions {
  origin: string;
  timeoutMs: number;
  runtime: Runtime;
  proxies: ProxyPool;
  /** Counts the sockets that lead to the platform directly. */
  counter?: Pick<ConnectionLimiter, 'count'>;
  /** Called after every request, for the metrics. `outcome` is the status, or the kind of failure. */
  onRequest?: (operation: string, outcome: string, durationMs: number) => void;
}

export interface Request {
  /** The contract's operationId, for metrics. */
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Wire;
  /** The body as JSON text, in place of `body`. */
  json?: string;
  /** The body as bytes, in place of `body`. */
  bytes?: Pick<TakenMedia, 'type' | 'size' | 'open'>;
  subject?: ProblemSubject;
  /** Distinguishes this write from others of the same operation in one call. A repeated call has the same value. */
  part?: string;
}

/** The time that an upload may take in addition to the deadline of other calls. */
const uploadPatience = 10;

/** The largest response of the platform, with or without a proxy. */
export const maxResponseBytes = 16 * 1024 * 1024;

/** The HTTP client of the sandbox adapter. It keeps connections alive, gives every call a deadline and maps failures to errors. */
export class SandboxClient {
  readonly #pool: Pool;
  readonly #direct: Dispatcher;
  readonly #options: ClientOptions;
  readonly #breaker: CircuitBreaker;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(
      options.runtime,
      'platform_paused',
      'The platform does not answer; it is tried again every second',
    );
    // undici's time limits are off, because they count from other moments than the deadline below.
    this.#pool = limitedPool(options.origin, {
      connect: buildConnector({}),
      ...(options.counter && { counter: options.counter }),
      connections: 128,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: maxResponseBytes,
      maxReceivedBytes: 2 * maxResponseBytes,
    });
    this.#direct = this.#pool.compose(limitResponses);
  }

  /** The origin of the platform. */
  get origin(): string {
    return new URL(this.#options.origin).origin;
  }

  /** Sends one request and returns the JSON object of a 2xx response. Throws a `PosternError` otherwise. */
  send<T>(request: Request, call: PlatformCall | null, read: (body: Wire) => T): Promise<T> {
    return this.#send(request, call, (answer) => read(readAnswer(answer, request)));
  }

  /** Like `send`, for responses that may be too large to be parsed on this thread. `read` gets the text of a 2xx response. */
  sendForText<T>(request: Request, call: PlatformCall | null, read: (text: string) => Promise<T>): Promise<T> {
    return this.#send(request, call, (answer) => {
      if (answer.status >= 300) readAnswer(answer, request);
      return read(answer.text);
    });
  }

  async #send<T>(request: Request, call: PlatformCall | null, read: (answer: Answer) => T | Promise<T>): Promise<T> {
    const proxy = call?.proxy ?? null;
    if (!proxy) this.#breaker.enter();
    const { runtime, onRequest } = this.#options;
    const startedAt = runtime.now();
    let outcome = proxy ? 'proxy_failed' : 'failed';
    try {
      const answer = await this.#sendInTime(request, call);
      outcome = String(answer.status);
      // Many responses can arrive in one turn of the event loop, and a page of 100 tweets takes a millisecond to read.
      await turn();
      return await read(answer);
    } catch (error) {
      const fault = asFault(error, proxy);
      if (fault.code === 'platform_timeout') outcome = 'timeout';
      throw fault;
    } finally {
      onRequest?.(request.operation, outcome, runtime.now() - startedAt);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #sendInTime(request: Request, call: PlatformCall | null): Promise<Answer> {
    const attempts = new Attempts();
    const timeoutMs = this.#options.timeoutMs * (request.bytes ? uploadPatience : 1);
    const deadline = this.#options.runtime.after(timeoutMs, () => attempts.end(new DeadlineError()));
    const hangUp = () => attempts.end(new HungUpError());
    call?.signal?.addEventListener('abort', hangUp, { once: true });
    if (call?.signal?.aborted) hangUp();
    try {
      return await this.#sendOnceOrTwice(request, call, attempts);
    } finally {
      deadline.cancel();
      call?.signal?.removeEventListener('abort', hangUp);
    }
  }

  /**
   * Sends a read once more if its connection broke, which is common with keep-alive and does no harm. Sends a write once more
   * if it cannot have reached the platform. Each attempt opens one connection at most, so a call opens at most two. There is
   * no second attempt if the tunnel of a proxy failed (a `PosternError` here) or if the other side violates HTTP.
   */
  async #sendOnceOrTwice(request: Request, call: PlatformCall | null, attempts: Attempts): Promise<Answer> {
    try {
      return await this.#sendOnce(request, call, attempts);
    } catch (error) {
      const isFinal = error instanceof PosternError || error instanceof ServerMisbehavedError;
      const isSafe = request.method === 'GET' || error instanceof ConnectionLostError;
      if (isFinal || !isSafe || attempts.ended) throw error;
      return await this.#sendOnce(request, call, attempts);
    }
  }

  async #sendOnce(request: Request, call: PlatformCall | null, attempts: Attempts): Promise<Answer> {
    // A stream can be sent only once, so each attempt opens its own.
    const bytes = request.bytes?.open();
    bytes?.on('error', (error) => attempts.end(error));
    try {
      return await this.#dispatch(dispatchOptions(this.#options.origin, request, call, bytes), call, attempts);
    } finally {
      bytes?.destroy();
    }
  }

  async #dispatch(options: Dispatcher.DispatchOptions, call: PlatformCall | null, attempts: Attempts): Promise<Answer> {
    if (call?.proxy) return this.#sendThrough(call.proxy, call.account, options, attempts);
    try {
      return await attempts.send(this.#direct, options, () => this.#breaker.answered());
    } catch (error) {
      if (!(error instanceof HungUpError)) this.#breaker.failed();
      throw error;
    }
  }

  /** Sends a call through its proxy. Failures count for the circuit breaker of the proxy, because the platform may be up. */
  async #sendThrough(
    proxy: ForwardProxy,
    account: string,
    options: Dispatcher.DispatchOptions,
    attempts: Attempts,
  ): Promise<Answer> {
    const lease = this.#options.proxies.lease(proxy, { origin: this.#options.origin, chosenBy: 'operator' });
    try {
      const limited: LimitedDispatchOptions = { ...options, account, signal: attempts.signal };
      return await attempts.send(lease.dispatcher, limited, () => lease.breaker.answered());
    } catch (error) {
      if (!(error instanceof HungUpError)) lease.breaker.failed();
      throw error;
    } finally {
      lease.release();
    }
  }
}

function dispatchOptions(
  origin: string,
  request: Request,
  call: PlatformCall | null,
  bytes?: Readable,
): Dispatcher.DispatchOptions {
  return {
    origin,
    method: request.method,
    path: request.path,
    headers: headersOf(request, call),
    body: jsonOf(request) ?? bytes ?? null,
  };
}

function jsonOf({ body, json }: Request): string | undefined {
  return body === undefined ? json : JSON.stringify(body);
}

function headersOf(request: Request, call: PlatformCall | null): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (call) headers['cookie'] = `auth_token=${call.authToken.expose()}`;
  if (call && request.method !== 'GET')
    headers['idempotency-token'] = call.tokenFor(request.operation + (request.part ?? ''));
  if (request.body !== undefined || request.json !== undefined) headers['content-type'] = 'application/json';
  if (request.bytes) {
    headers['content-type'] = request.bytes.type;
    headers['content-length'] = String(request.bytes.size);
  }
  return headers;
}

function readAnswer({ status, retryAfter, text }: Answer, request: Request): Wire {
  if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
  if (status >= 300 && status < 400) throw new NonsenseError(`a redirect (status ${status})`);
  const body = parseJson(text);
  if (status >= 400) throw readProblem(body, status, retryAfter, request.subject);
  return asWire(body, 'body');
}

class DeadlineError extends Error {}
class HungUpError extends Error {}

function asFault(error: unknown, proxy: ForwardProxy | null): PosternError {
  if (error instanceof PosternError) return error;
  if (error instanceof NonsenseError) {
    // A response of a proxy may contain the credentials that passed through it. Other causes name fields, never their values.
    const [way, cause] = proxy ? [` through the proxy ${proxy.name}`, withoutText(error)] : ['', error];
    const message = `The platform answered something that cannot be understood${way}`;
    return new PosternError(proxy ? 'proxy_failed' : 'platform_unreadable', message, { cause });
  }
  if (error instanceof DeadlineError) {
    const way = proxy ? ` through the proxy ${proxy.name}` : '';
    return new PosternError(proxy ? 'proxy_timeout' : 'platform_timeout', `The platform did not answer in time${way}`, {
      cause: error,
    });
  }
  if (error instanceof HungUpError) {
    return new PosternError('caller_hung_up', 'The caller hung up', { cause: error });
  }
  if (error instanceof ServerMisbehavedError) {
    const way = proxy ? `, or the proxy ${proxy.name} in its name,` : '';
    return new PosternError(proxy ? 'proxy_failed' : 'platform_unreadable', `The platform${way} ${error.message}`, {
      cause: error,
    });
  }
  if (proxy) {
    const message = `The connection to the platform through the proxy ${proxy.name} broke`;
    return new PosternError('proxy_failed', message, { cause: withoutText(error) });
  }
  // undici's parser error holds the bytes that it could not read, and a server may repeat the request, with its credentials, there.
  return new PosternError('platform_unreachable', 'The platform cannot be reached, or broke the connection', {
    cause: withoutText(error),
  });
}
