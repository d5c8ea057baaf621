import { Pool } from 'undici';
import { PosternError } from '../../errors/postern-error.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';
import type { PlatformCall } from '../port.ts';
import { readProblem, type Subject } from './problems.ts';
import { asWire, NonsenseError, type Wire } from './wire.ts';

export interface ClientOptions {
  origin: string;
  timeoutMs: number;
  runtime: Runtime;
  /** Told of every request, for the metrics. `outcome` is the status, or what happened instead. */
  onRequest?: (operation: string, outcome: string, durationMs: number) => void;
}

export interface Request {
  /** The contract's operationId, for metrics. */
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Wire;
  subject?: Subject;
}

const maxResponseBytes = 16 * 1024 * 1024;

interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
}

/** The HTTP side of the sandbox adapter: keep-alive connections, a deadline on every call, and faults in plain words. */
export class SandboxClient {
  readonly #pool: Pool;
  readonly #options: ClientOptions;
  readonly #breaker: CircuitBreaker;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(options.runtime);
    // Time limits are ours alone (below), so undici's own, which count from other moments, are off.
    this.#pool = new Pool(options.origin, {
      connections: 128,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: maxResponseBytes,
    });
  }

  /** Sends one request and reads the JSON object that a 2xx carries. Everything else throws a `PosternError`. */
  async send<T>(request: Request, call: PlatformCall | null, read: (body: Wire) => T): Promise<T> {
    this.#breaker.enter();
    const { runtime, onRequest } = this.#options;
    const startedAt = runtime.now();
    let outcome = 'failed';
    try {
      const answer = await this.#sendInTime(request, call);
      outcome = String(answer.status);
      return read(readAnswer(answer, request));
    } catch (error) {
      const fault = asFault(error);
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
    const controller = new AbortController();
    const deadline = this.#options.runtime.after(this.#options.timeoutMs, () => controller.abort(new DeadlineError()));
    const hangUp = () => controller.abort(new HungUpError());
    call?.signal?.addEventListener('abort', hangUp, { once: true });
    if (call?.signal?.aborted) hangUp();
    try {
      return await this.#sendOnceOrTwice(request, call, controller.signal);
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      deadline.cancel();
      call?.signal?.removeEventListener('abort', hangUp);
    }
  }

  /** A read whose connection broke is sent once more: keep-alive makes that common, and a read harms nothing. */
  async #sendOnceOrTwice(request: Request, call: PlatformCall | null, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#sendOnce(request, call, signal);
    } catch (error) {
      if (request.method !== 'GET' || signal.aborted) throw error;
      return await this.#sendOnce(request, call, signal);
    }
  }

  async #sendOnce(request: Request, call: PlatformCall | null, signal: AbortSignal): Promise<Answer> {
    try {
      const response = await this.#pool.request({
        method: request.method,
        path: request.path,
        headers: headersOf(request, call),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal,
      });
      this.#breaker.answered();
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        text: await response.body.text(),
      };
    } catch (error) {
      if (!(signal.reason instanceof HungUpError)) this.#breaker.failed();
      throw error;
    }
  }
}

function headersOf(request: Request, call: PlatformCall | null): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (call) headers['cookie'] = `auth_token=${call.authToken.expose()}`;
  if (call && request.method !== 'GET') headers['idempotency-token'] = call.idempotencyToken;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

function readAnswer({ status, retryAfter, text }: Answer, request: Request): Wire {
  if (status >= 500) throw new PosternError('platform_unavailable', `The platform failed with status ${status}`);
  if (status >= 300 && status < 400) throw new NonsenseError(`a redirect (status ${status})`);
  const body = parseJson(text);
  if (status >= 400) throw readProblem(body, status, retryAfter, request.subject);
  return asWire(body, 'body');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NonsenseError('the body is not JSON');
  }
}

class DeadlineError extends Error {}
class HungUpError extends Error {}

function asFault(error: unknown): PosternError {
  if (error instanceof PosternError) return error;
  if (error instanceof NonsenseError) {
    return new PosternError('platform_unavailable', 'The platform answered something that cannot be understood', {
      cause: error,
    });
  }
  if (error instanceof DeadlineError) {
    return new PosternError('platform_timeout', 'The platform did not answer in time', { cause: error });
  }
  if (error instanceof HungUpError) {
    return new PosternError('request_timeout', 'The caller hung up', { cause: error });
  }
  return new PosternError('platform_unavailable', 'The platform cannot be reached, or broke the connection', {
    cause: error,
  });
}
