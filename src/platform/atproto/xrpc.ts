import { Client, ClientValidationError } from '@atcute/client';
import type {
  InferInput,
  InferOutput,
  ObjectSchema,
  XRPCLexBodyParam,
  XRPCProcedureMetadata,
  XRPCQueryMetadata,
} from '@atcute/lexicons/validations';
import type { Answer } from '../../outbound/exchange.ts';
import type { ProxyTarget } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { InvalidResponseError, unreadable } from '../http/errors.ts';
import type { Transport } from '../http/transport.ts';
import type { PlatformCall } from '../port.ts';
import { readBlob } from './blob.ts';

/** The server of one request, and the token that authorizes it. */
export interface XrpcAccess {
  target: ProxyTarget;
  token: string | null;
}

/** An error response of an XRPC server: https://atproto.com/specs/xrpc#error-responses */
export class XrpcError extends Error {
  override readonly name = 'XrpcError';
  readonly status: number;
  /** The error name, such as `InvalidRequest`. Program logic uses the name and the status, but not the message. */
  readonly error: string;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, error: string, message: string, retryAfterSeconds: number | null) {
    super(message);
    this.status = status;
    this.error = error;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The maximum wait that a server can ask for: one day, the longest window of the network's rate limits. */
const maxRetryAfterSeconds = 24 * 60 * 60;

/** The lexicon of a query or procedure. */
type Method = XRPCQueryMetadata | XRPCProcedureMetadata;

type ParamsOf<M> = M extends { params: infer Params extends ObjectSchema } ? InferInput<Params> : never;
type InputOf<M> = M extends { input: infer Body extends XRPCLexBodyParam } ? InferInput<Body['schema']> : never;
type OutputOf<M> = M extends { output: infer Body extends XRPCLexBodyParam } ? InferOutput<Body['schema']> : null;

/** Calls one XRPC method and returns its data. */
export type XrpcCall = <M extends Method>(
  method: M,
  options?: { params?: ParamsOf<M>; input?: InputOf<M> },
) => Promise<OutputOf<M>>;

/** Calls XRPC methods with the lexicon schemas of @atcute, which check parameters, inputs and responses. */
export class XrpcClient {
  readonly #transport: Transport;
  readonly #now: () => number;

  constructor(transport: Transport, now: () => number) {
    this.#transport = transport;
    this.#now = now;
  }

  /**
   * Returns a function that calls one XRPC method and returns its data. It throws `XrpcError` for an error response, `ParameterError`
   * for parameters that the lexicon refuses, and `PosternError` if there is no valid response.
   */
  as(access: XrpcAccess, call: PlatformCall | null): XrpcCall {
    const client = new Client({ handler: (path, init) => this.#send(access, call, path, init) });
    return async <M extends Method>(method: M, options: { params?: ParamsOf<M>; input?: InputOf<M> } = {}) => {
      try {
        const response = await client.call(method, options as never);
        if (response.ok) return response.data as OutputOf<M>;
        throw new XrpcError(
          response.status,
          response.data.error,
          (response.data.message ?? response.data.error).slice(0, 300),
          this.#retryAfter(response.headers),
        );
      } catch (error) {
        throw asCallerError(error);
      }
    };
  }

  /** Uploads bytes and returns the blob that records refer to. Throws `XrpcError` for an error response. */
  upload(
    access: XrpcAccess,
    call: PlatformCall | null,
    bytes: Pick<TakenMedia, 'type' | 'size' | 'open'>,
  ): Promise<unknown> {
    const operation = 'com.atproto.repo.uploadBlob';
    const headers = { ...authorization(access), 'content-type': bytes.type, 'content-length': String(bytes.size) };
    const path = `/xrpc/${operation}`;
    const request = { operation, target: access.target, method: 'POST' as const, path, headers, bytes };
    // The callback returns errors instead of throwing them, because `send` converts errors that are thrown.
    return this.#transport
      .send(request, call, (answer) => this.#readUpload(answer))
      .then((result) => {
        if (result instanceof XrpcError) throw result;
        return result;
      });
  }

  #readUpload({ status, body, retryAfter, rateLimitReset }: Answer): unknown {
    if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
    const text = body.toString();
    if (status === 200) return readBlob(text);
    const headers = new Headers({
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
      ...(rateLimitReset !== null && { 'ratelimit-reset': rateLimitReset }),
    });
    const name = /"error":\s*"(\w{1,60})"/.exec(text)?.[1] ?? 'UnknownXRPCError';
    return new XrpcError(status, name, name, this.#retryAfter(headers));
  }

  #send(access: XrpcAccess, call: PlatformCall | null, path: string, init: RequestInit): Promise<Response> {
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...authorization(access),
      accept: 'application/json',
    };
    const request = {
      operation: /^\/xrpc\/([\w.-]+)/.exec(path)?.[1] ?? '',
      target: access.target,
      method: init.method === 'post' ? ('POST' as const) : ('GET' as const),
      path,
      headers,
      text: typeof init.body === 'string' ? init.body : undefined,
    };
    return this.#transport.send(request, call, ({ status, body, retryAfter, rateLimitReset }) => {
      if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
      if (status >= 300 && status < 400) throw new InvalidResponseError(`a redirect (status ${status})`);
      return new Response(body.length === 0 ? null : body.toString(), {
        status,
        headers: {
          'content-type': 'application/json',
          ...(retryAfter !== null && { 'retry-after': retryAfter }),
          ...(rateLimitReset !== null && { 'ratelimit-reset': rateLimitReset }),
        },
      });
    });
  }

  /** The network sends `ratelimit-reset`, in seconds since the Unix epoch, and `retry-after` from some servers. */
  #retryAfter(headers: Headers): number | null {
    const after = headers.get('retry-after');
    if (after !== null && /^\d{1,6}$/.test(after)) return Math.min(maxRetryAfterSeconds, Number(after));
    const reset = headers.get('ratelimit-reset');
    if (reset === null || !/^\d{1,12}$/.test(reset)) return null;
    return Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(Number(reset) - this.#now() / 1_000)));
  }
}

/** Thrown for parameters or an input that the lexicon does not allow, such as a handle without a dot. Nothing was sent. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

function authorization({ token }: XrpcAccess): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

function asCallerError(error: unknown): unknown {
  if (error instanceof ClientValidationError && error.target === 'output') {
    return unreadable(new InvalidResponseError('the response does not match its lexicon'));
  }
  if (error instanceof ClientValidationError) return new ParameterError(error.target);
  if (error instanceof SyntaxError || error instanceof TypeError) {
    return unreadable(new InvalidResponseError('the response is not JSON'));
  }
  return error;
}
