import type {
  BaseSchema,
  InferInput,
  InferOutput,
  ObjectSchema,
  XRPCLexBodyParam,
  XRPCProcedureMetadata,
  XRPCQueryMetadata,
} from '@atcute/lexicons/validations';
import * as v from '@atcute/lexicons/validations';
import type { ProxyTarget } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { type AnswerLimits, type PlatformAnswer, pageLimits, singleLimits, smallLimits } from '../http/answer.ts';
import { InvalidResponseError } from '../http/errors.ts';
import type { Transport, TransportRequest } from '../http/transport.ts';
import type { PlatformCall } from '../port.ts';
import { matching } from './matching.ts';

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
export type Method = XRPCQueryMetadata | XRPCProcedureMetadata;

export type ParamsOf<M> = M extends { params: infer Params extends ObjectSchema } ? InferInput<Params> : never;
type InputOf<M> = M extends { input: infer Body extends XRPCLexBodyParam } ? InferInput<Body['schema']> : never;
export type OutputOf<M> = M extends { output: infer Body extends XRPCLexBodyParam }
  ? InferOutput<Body['schema']>
  : null;

interface XrpcOptions<M> {
  params?: ParamsOf<M>;
  input?: InputOf<M>;
  /** The limits of the response. Default: those of a page, of one object or of a write, depending on method and parameters. */
  limits?: Partial<AnswerLimits>;
  /** True if lists that are longer than requested are returned whole, for a caller that refuses them. */
  isUncut?: boolean;
}

/** Calls one XRPC method and returns its data. */
export type XrpcCall = <M extends Method>(method: M, options?: XrpcOptions<M>) => Promise<OutputOf<M>>;

/** The body of an error response. */
const errorSchema = v.object({ error: v.string(), message: v.optional(v.string()) });

/** The response to an upload: https://atproto.com/specs/data-model#blob-type */
const uploadedSchema = v.object({ blob: v.blob() });
/** The maximum length of a media type: https://www.rfc-editor.org/rfc/rfc6838#section-4.2 */
const maxMediaType = 255;

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
    return async <M extends Method>(method: M, { params, input, limits, isUncut }: XrpcOptions<M> = {}) => {
      const { nsid: operation, output } = method;
      const isQuery = method.type === 'xrpc_query';
      if (method.params !== null && !v.is(method.params, params)) throw new ParameterError('params');
      if (!isQuery && method.input?.type === 'lex' && !v.is(method.input.schema, input))
        throw new ParameterError('input');
      const count = isQuery ? countOf(params) : null;
      const request = {
        operation,
        method: isQuery ? ('GET' as const) : ('POST' as const),
        path: `/xrpc/${operation}${queryOf(params)}`,
        headers: input === undefined ? {} : { 'content-type': 'application/json' },
        text: input === undefined ? undefined : JSON.stringify(input),
        limits: limits ?? limitsOf(isQuery, count),
      };
      const data = await this.#send(access, call, request, async (answer) => {
        if (output?.type !== 'lex') return null;
        const body = await answer.json();
        if (count !== null && !isUncut) cutLists(body, count);
        return requireMatch(output.schema, body);
      });
      return data as OutputOf<M>;
    };
  }

  /** Uploads bytes and returns the blob that records refer to. Throws `XrpcError` for an error response. */
  upload(
    access: XrpcAccess,
    call: PlatformCall | null,
    bytes: Pick<TakenMedia, 'type' | 'size' | 'open'>,
  ): Promise<unknown> {
    const operation = 'com.atproto.repo.uploadBlob';
    const headers = { 'content-type': bytes.type, 'content-length': String(bytes.size) };
    const path = `/xrpc/${operation}`;
    const request = { operation, method: 'POST' as const, path, headers, bytes, limits: smallLimits };
    return this.#send(access, call, request, async (answer) => {
      const { blob } = requireMatch(uploadedSchema, await answer.json());
      if (blob.mimeType.length > maxMediaType) throw new InvalidResponseError('the media type of a blob is too long');
      return blob;
    });
  }

  async #send<T>(
    { target, token }: XrpcAccess,
    call: PlatformCall | null,
    request: Omit<TransportRequest, 'target'>,
    read: (answer: PlatformAnswer) => Promise<T>,
  ): Promise<T> {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...request.headers, ...authorization, accept: 'application/json' };
    // The callback returns errors instead of throwing them, because `send` converts errors that are thrown.
    const result = await this.#transport.send({ ...request, target, headers }, call, async (answer) => {
      const { status } = answer;
      if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
      if (status >= 300 && status < 400) throw new InvalidResponseError(`a redirect (status ${status})`);
      return status === 200 ? { data: await read(answer) } : this.#readError(answer);
    });
    if (result instanceof XrpcError) throw result;
    return result.data;
  }

  async #readError(answer: PlatformAnswer): Promise<XrpcError> {
    const body = await answer.json().catch(() => null);
    const { error, message } = matching(errorSchema, body) ?? { error: 'UnknownXRPCError' };
    return new XrpcError(answer.status, error, (message ?? error).slice(0, 300), this.#retryAfter(answer));
  }

  /** The network sends `ratelimit-reset`, in seconds since the Unix epoch, and `retry-after` from some servers. */
  #retryAfter({ retryAfter: after, rateLimitReset: reset }: PlatformAnswer): number | null {
    if (after !== null && /^\d{1,6}$/.test(after)) return Math.min(maxRetryAfterSeconds, Number(after));
    if (reset === null || !/^\d{1,12}$/.test(reset)) return null;
    return Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(Number(reset) - this.#now() / 1_000)));
  }
}

/** Thrown for parameters or an input that the lexicon does not allow, such as a handle without a dot. Nothing was sent. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

type Params = Readonly<Record<string, unknown>>;

function queryOf(params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) query.append(name, String(each));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the number of items that a query asks for, by their number or their names. Returns `null` if it does not ask for a list. */
function countOf(params: Params = {}): number | null {
  if (typeof params['limit'] === 'number') return params['limit'];
  const names = Object.values(params).find(Array.isArray);
  return names === undefined ? null : names.length;
}

function limitsOf(isQuery: boolean, count: number | null): Partial<AnswerLimits> {
  if (count !== null) return pageLimits(count);
  return isQuery ? singleLimits : smallLimits;
}

/** Removes the items of a list that were not asked for before they are validated. */
function cutLists(body: unknown, count: number): void {
  if (typeof body !== 'object' || body === null) return;
  for (const items of Object.values(body)) if (Array.isArray(items)) items.splice(count);
}

function requireMatch<const Schema extends BaseSchema>(schema: Schema, body: unknown): InferOutput<Schema> {
  const data = matching(schema, body);
  if (data === null) throw new InvalidResponseError('the response does not match its lexicon');
  return data;
}
