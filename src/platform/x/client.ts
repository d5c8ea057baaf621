import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { type Runtime, sleep } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { type AnswerLimits, type PlatformAnswer, pageLimits, singleLimits } from '../http/answer.ts';
import { InvalidResponseError } from '../http/errors.ts';
import type { Transport, TransportRequest } from '../http/transport.ts';
import { list, object, type Wire } from '../http/wire.ts';
import type { CredentialResolver, OnCost, PlatformCall } from '../port.ts';
import { type AccountCaps, AccountShares } from './account-shares.ts';
import type { XFeatures } from './features.ts';
import type { Fields } from './fields.ts';
import {
  type Endpoint,
  type Operation,
  objectPrices,
  type PriceClass,
  type Write,
  type WriteClass,
  writePrices,
} from './operations.ts';
import { type ProblemContext, rateLimited, readProblem, type Subject } from './problems.ts';

export interface XClientOptions {
  origin: string;
  transport: Transport;
  runtime: Runtime;
  features: XFeatures;
  /** The logins of connections. Default: there are none, so each `auth_token` is a token of X. */
  logins?: CredentialResolver | undefined;
  /** The operator's app-only token, for operations that refuse those of users. */
  appToken: Secret | null;
  /** What one account may use. Default: no caps. */
  accountCaps?: AccountCaps;
  /** Called when X refuses a call because the operator's credit is used up. */
  onCreditExhausted: () => void;
  /** Reports what X bills for a response, also for calls without a paying caller, such as those of pollers. */
  onCost?: OnCost | undefined;
}

interface XCall {
  /** The ids and names in the path. */
  ids?: readonly string[];
  /** The object that the call is about, for messages. Default: none. */
  subject?: Subject | null;
}

export interface XRequest<Query extends string, Class extends PriceClass> extends XCall {
  operation: Operation<Query, Class>;
  query?: Partial<Record<NoInfer<Query>, string | null>>;
  /** The page of a list. */
  page?: { size: number; token: string | null };
  fields?: Fields<Class>;
  /** The number of objects that a look-up asks for. Default: 1. */
  count?: number;
  /** Sends the operator's app-only token instead of `auth_token`. */
  appOnly?: boolean;
  /** True if a response with `errors` and without `data` is a success: all the objects are missing. */
  isBulk?: boolean;
  /** True if a response without `data` is a success: the list is empty. */
  mayBeEmpty?: boolean;
  /** The limits of the response. Default: those of a page if `count` is above 1, otherwise those of one object. */
  limits?: Partial<AnswerLimits>;
  /** The time that the sandbox may delay its response to wait for events, in milliseconds. */
  waitMs?: number;
}

export interface XWrite<Body extends string> extends XCall {
  operation: Write<Body>;
  /** The body, or its JSON text. */
  body?: Readonly<Partial<Record<NoInfer<Body>, unknown>>> | string | undefined;
  /** The body as bytes. Replaces `body`. */
  bytes?: Pick<TakenMedia, 'type' | 'size' | 'open'>;
  /** The price class, if it depends on the body. */
  price?: WriteClass | undefined;
  /** Why X may refuse the write to the operator's app. Default: that of the operation. */
  restriction?: string | undefined;
  /** Distinguishes several writes of the same operation in one call. A repeated call must use the same value. */
  part?: string;
  /** Called when the price was counted. */
  onCount?: () => void;
  /** The time limit in milliseconds, if it is shorter than the usual one. */
  mostMs?: number;
}

/** The body of a successful response. */
export interface XBody {
  data: unknown;
  includes: Wire;
  meta: Wire;
  /** Problems of single objects. */
  errors: readonly unknown[];
}

/** The number of exhausted rate limits that are remembered. */
const maxExhausted = 10_000;
/** The size of the largest item of a page in bytes: a post of 25,000 characters, and its part of the included posts and users. */
const maxItemBytes = 256 * 1024;
/** The time between two app-only requests, and the longest that one waits for its turn. */
const appOnlyMs = 1_000;
const maxAppOnlyWaitMs = 4_000;
/** The longest window of X's rate limits. */
const maxRetryAfterSeconds = 24 * 60 * 60;
const nothing: Wire = {};

/** Sends the requests of `operations.ts` to X or to the sandbox, counts their cost and remembers exhausted rate limits. */
export class XClient {
  readonly #options: XClientOptions;
  readonly #target: { readonly origin: string; readonly chosenBy: 'operator' };
  /** When the rate limit of an operation ends for a token, in milliseconds. */
  readonly #exhausted = new LRUCache<string, number>({ max: maxExhausted });
  readonly #shares: AccountShares | null;
  /** When the next app-only request may be sent, in milliseconds. */
  #nextAppOnly = 0;

  constructor(options: XClientOptions) {
    this.#options = options;
    const { accountCaps, runtime } = options;
    this.#shares = accountCaps ? new AccountShares(accountCaps, runtime) : null;
    this.#target = { origin: new URL(options.origin).origin, chosenBy: 'operator' };
  }

  appLimitsLeft(): Record<string, number> {
    return this.#shares?.left() ?? {};
  }

  /** The time limit of one upload request in milliseconds. */
  get uploadMs(): number {
    return this.#options.transport.uploadMs;
  }

  get hasAppToken(): boolean {
    return this.#options.appToken !== null;
  }

  /** Returns the result of `read` for a response with `data`, or with an empty page. Throws a `PosternError` for any other response. */
  send<Query extends string, Class extends PriceClass, T>(
    request: XRequest<Query, Class>,
    call: PlatformCall,
    read: (body: XBody) => T,
  ): Promise<T> {
    return this.#get(request, call, async (answer) => {
      const body = await this.#readFor(answer, request, call);
      this.#countObjects(call, request.operation, body);
      return read(body);
    });
  }

  /** As `send`, for a response that may be too large to parse on this thread. `read` gets the text of a 2xx response. */
  sendForText<Query extends string, Class extends PriceClass, T>(
    request: XRequest<Query, Class>,
    call: PlatformCall,
    read: (text: string) => Promise<T>,
  ): Promise<T> {
    return this.#get(request, call, async (answer) => {
      if (answer.status >= 300) await this.#readFor(answer, request, call);
      return read(await answer.text());
    });
  }

  async #get<Query extends string, Class extends PriceClass, T>(
    request: XRequest<Query, Class>,
    call: PlatformCall,
    read: (answer: PlatformAnswer) => Promise<T>,
  ): Promise<T> {
    const { operation, page, count = page?.size ?? 1, appOnly = false, waitMs } = request;
    const { limits = count > 1 ? pageLimits(count, maxItemBytes) : singleLimits } = request;
    this.#refuseEarly(operation, call, appOnly);
    if (appOnly) await this.#waitForTurn(operation, call);
    else this.#enter(operation, call, false);
    const query = queryOf(request);
    const { appToken } = this.#options;
    const send = (token: Secret) => this.#send(request, token, { query, limits, waitMs }, call, read);
    return appOnly && appToken ? send(appToken) : this.#asActor(call, send);
  }

  /**
   * Sends a request with the actor's token. After a 401 for a connection, sends it once more with a refreshed token: the platform has not
   * performed a request that it answers with 401.
   */
  async #asActor<T>(call: PlatformCall, send: (token: Secret) => Promise<T>): Promise<T> {
    const { logins } = this.#options;
    const token = (await logins?.credentialOf(call)) ?? call.authToken;
    try {
      return await send(token);
    } catch (error) {
      if (!logins || token === call.authToken || !isRejected(error)) throw error;
      return send(await logins.credentialOf(call, token));
    }
  }

  #readFor(answer: PlatformAnswer, request: XRequest<string, PriceClass>, call: PlatformCall): Promise<XBody> {
    const { operation, subject = null, appOnly = false } = request;
    if (answer.status === 204) throw new InvalidResponseError('a read without a body');
    return this.#read(answer, { operation, subject, appOnly }, call, (found) => isWhole(found, request));
  }

  /**
   * Sends a write and returns the result of `read` for the data of the response. A write is sent once, because X performs each request that
   * it receives. Only the sandbox recognizes a repeated one, by its idempotency token.
   */
  write<Body extends string, T>(request: XWrite<Body>, call: PlatformCall, read: (data: Wire) => T): Promise<T> {
    const { operation, body, bytes, subject = null, part = '', mostMs } = request;
    this.#refuseEarly(operation, call);
    this.#enter(operation, call, false);
    const headers: Record<string, string> = {};
    const { extensions } = this.#options.features;
    // The call also records that the write is sent.
    const token = call.tokenFor(operation.name + part);
    if (extensions) headers['idempotency-token'] = token;
    if (bytes) {
      headers['content-type'] = bytes.type;
      headers['content-length'] = String(bytes.size);
    } else if (body) headers['content-type'] = 'application/json';
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const restriction = extensions ? undefined : (request.restriction ?? operation.restriction);
    const sent = { headers, text, bytes, mostMs, limits: singleLimits };
    const readAnswer = async (answer: PlatformAnswer) => {
      const about = { operation, subject, appOnly: false, restriction };
      // A 2xx response that cannot be read leaves the write performed.
      let isPerformed = answer.status < 300;
      const isSuccess = ({ data, errors }: XBody) => {
        isPerformed &&= data !== undefined || errors.length === 0;
        return data !== undefined;
      };
      try {
        const { data } = await this.#read(answer, about, call, isSuccess);
        return read(object(data, 'data'));
      } finally {
        if (isPerformed) this.countWrite(request, call);
      }
    };
    return this.#asActor(call, (token) => this.#send(request, token, sent, call, readAnswer));
  }

  /** Counts the price of a write that X has performed. */
  countWrite(request: Pick<XWrite<string>, 'operation' | 'price' | 'onCount'>, call: PlatformCall): void {
    const { operation, price = operation.price, onCount } = request;
    if (price !== null) this.#count(call, price, 1, writePrices[price]);
    onCount?.();
  }

  /** Checks that the platform responds. Without a token the response is 401. */
  async ping(): Promise<void> {
    const ping = { operation: 'ping', method: 'GET', path: '/2/users/me' } as const;
    await this.#options.transport.send({ ...ping, target: this.#target, headers: {} }, null, ({ status }) => {
      if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
    });
  }

  #send<T>(
    { operation, ids = [] }: XCall & { operation: Endpoint },
    token: Secret,
    { query = '', headers, ...sent }: Partial<TransportRequest> & { query?: string },
    call: PlatformCall,
    read: (answer: PlatformAnswer) => Promise<T>,
  ): Promise<T> {
    const { name, method } = operation;
    const path = ids.reduce((made, id) => made.replace('{}', id), operation.path) + (query === '' ? '' : `?${query}`);
    const all = {
      accept: 'application/json',
      authorization: `Bearer ${token.expose()}`,
      ...(this.#options.features.extensions && { 'x-sandbox-extensions': '1' }),
      ...headers,
    };
    const request = { ...sent, operation: name, target: this.#target, method, path, headers: all };
    return this.#options.transport.send(request, call, read);
  }

  /** Returns the body of a successful response. Throws the problem of any other one, and of one for which `isSuccess` is false. */
  async #read(
    answer: PlatformAnswer,
    about: Omit<ProblemContext, 'status' | 'retryAfterSeconds' | 'mayLackScopes'>,
    call: PlatformCall,
    isSuccess: (body: XBody) => boolean,
  ): Promise<XBody> {
    const { status } = answer;
    const { operation, appOnly } = about;
    // Responses through a caller's proxy may be forged.
    if (this.#shares && !call.proxy) this.#learnAppLimits(answer, operation, appOnly);
    if (status === 429 || (status < 300 && (answer.rateLimitRemaining === '0' || dayReset(answer) !== null))) {
      const until = this.#options.runtime.now() + this.#retryAfter(answer) * 1_000;
      this.#exhausted.set(limitKey(operation, call, appOnly), until);
    }
    if (status >= 300 && status < 400) throw new InvalidResponseError(`a redirect (status ${status})`);
    if (status === 204) return { data: nothing, includes: nothing, meta: nothing, errors: [] };
    const body = status < 300 ? object(await answer.json(), 'body') : await answer.json().catch(() => null);
    if (status < 300 && body !== null) {
      const { data: given, includes = nothing, meta = nothing, errors = [] } = body as Wire;
      const read = {
        data: given ?? undefined,
        includes: object(includes, 'includes'),
        meta: object(meta, 'meta'),
        errors: list(errors, 'errors'),
      };
      if (isSuccess(read)) return read;
      if (read.errors.length === 0) throw new InvalidResponseError('data and errors are missing');
    }
    const problem = readProblem(body, {
      ...about,
      status,
      retryAfterSeconds: Math.max(1, this.#retryAfter(answer)),
      mayLackScopes: !this.#options.features.extensions,
    });
    if (problem.reason === 'platform_credit_exhausted') this.#options.onCreditExhausted();
    throw problem;
  }

  /** Counts the objects of a response as X bills them, without its daily deduplication. Media and objects without a class are free. */
  #countObjects(call: PlatformCall, { items }: Operation, { data, includes }: XBody): void {
    const count = { post: 0, user: 0, dm_event: 0 };
    if (items !== null) count[items] += Array.isArray(data) ? data.length : Number(data !== undefined);
    count.post += lengthOf(includes.posts ?? includes.tweets);
    count.user += lengthOf(includes.users);
    for (const priceClass of ['post', 'user', 'dm_event'] as const) {
      const objects = count[priceClass];
      if (objects > 0) this.#count(call, priceClass, objects, objects * objectPrices[priceClass]);
    }
  }

  #count({ account, cost }: PlatformCall, priceClass: string, objects: number, micros: number): void {
    cost?.add(priceClass, objects, micros);
    this.#shares?.spend(account, micros);
    this.#options.onCost?.(priceClass, micros);
  }

  #learnAppLimits({ headers }: PlatformAnswer, operation: Endpoint, appOnly: boolean): void {
    for (const [name, prefix] of Object.entries(appLimitsOf(operation, appOnly))) {
      const [limit = 0, left = 0, reset = 0] = ['limit', 'remaining', 'reset'].map((part) =>
        Number(headers[`${prefix}-${part}`]),
      );
      if (!(limit > 0 && left >= 0 && reset > 0)) continue;
      this.#shares?.learn(name, limit, left, reset * 1_000);
    }
  }

  /** X sends the time when the limit ends, in seconds since the Unix epoch. */
  #retryAfter(answer: PlatformAnswer): number {
    const { status, retryAfter: after, rateLimitRemaining: remaining } = answer;
    const ofDay = dayReset(answer);
    const reset = ofDay ?? answer.rateLimitReset;
    // The 15-minute window has requests left, so this was the per-second limit.
    if (status === 429 && ofDay === null && remaining !== null && remaining !== '0') return 1;
    if (after !== null && /^\d{1,6}$/.test(after)) return Math.min(maxRetryAfterSeconds, Number(after));
    if (reset === null || !/^\d{1,12}$/.test(reset)) return 60;
    const seconds = Math.ceil(Number(reset) - this.#options.runtime.now() / 1_000);
    return Math.min(maxRetryAfterSeconds, Math.max(0, seconds));
  }

  /** Refuses a call that must fail, because its rate limit is exhausted. */
  #refuseEarly(operation: Endpoint, call: PlatformCall, appOnly = false): void {
    if (this.#exhausted.size === 0) return;
    const until = this.#exhausted.get(limitKey(operation, call, appOnly));
    const ms = until === undefined ? 0 : until - this.#options.runtime.now();
    if (ms > 0) throw rateLimited(operation, ms);
  }

  #enter(operation: Endpoint, { account }: PlatformCall, appOnly: boolean): void {
    this.#shares?.enter(Object.keys(appLimitsOf(operation, appOnly)), account);
  }

  /** X accepts one app-only request a second, whoever calls. */
  async #waitForTurn(operation: Endpoint, call: PlatformCall): Promise<void> {
    const { runtime } = this.#options;
    const now = runtime.now();
    const waitMs = Math.max(0, this.#nextAppOnly - now);
    if (waitMs > maxAppOnlyWaitMs) throw rateLimited(operation, waitMs - maxAppOnlyWaitMs);
    this.#enter(operation, call, true);
    this.#nextAppOnly = now + waitMs + appOnlyMs;
    if (waitMs > 0) await sleep(runtime, waitMs);
  }
}

/**
 * Returns the name of the caller's credentials in caches. Responses through a caller's proxy may be forged, so they are cached for the
 * account of that caller only.
 */
export function cacheName({ authToken, proxy, account }: PlatformCall): string {
  return createHash('sha256')
    .update(`${proxy ? account : ''}\n${authToken.expose()}`)
    .digest('base64url');
}

function isRejected(error: unknown): boolean {
  return error instanceof PosternError && error.reason === 'auth_token_rejected';
}

function limitKey({ method, path }: Endpoint, call: PlatformCall, appOnly: boolean): string {
  // Responses through a caller's proxy may be forged, also about the limits of the operator's token.
  const appOnlyName = call.proxy ? call.account : '';
  return `${method} ${path} ${appOnly ? appOnlyName : cacheName(call)}`;
}

/** Returns the limits of the whole app that X counts a request towards, and how their headers begin. */
function appLimitsOf({ name }: Endpoint, appOnly: boolean): Readonly<Record<string, string>> {
  return {
    [`daily limit of ${name}`]: 'x-app-limit-24hour',
    ...(appOnly && { [`rate limit of ${name}`]: 'x-rate-limit' }),
  };
}

/** Returns the time when an exhausted limit of 24 hours ends, as X sends it, or `null` if none is exhausted. */
function dayReset({ headers }: PlatformAnswer): string | null {
  for (const whose of ['app', 'user']) {
    const reset = headers[`x-${whose}-limit-24hour-reset`];
    if (headers[`x-${whose}-limit-24hour-remaining`] === '0' && typeof reset === 'string') return reset;
  }
  return null;
}

/** An empty list has no data. The user search has no count either. */
function isWhole(
  { data, meta, errors }: XBody,
  { operation, isBulk, mayBeEmpty }: XRequest<string, PriceClass>,
): boolean {
  const isEmpty = operation.sizes[1] > 1 && meta !== nothing && errors.length === 0;
  const isMissing = isBulk === true && errors.length > 0;
  return (
    data !== undefined ||
    meta.result_count === 0 ||
    isEmpty ||
    isMissing ||
    (mayBeEmpty === true && errors.length === 0)
  );
}

function queryOf({ operation, query, page, fields }: XRequest<string, PriceClass>): string {
  let text = fields?.text ?? '';
  const parts = { ...query, ...(page && { max_results: page.size, [operation.token]: page.token }) };
  for (const [name, value] of Object.entries(parts)) {
    if (value === null || value === undefined) continue;
    text += `${text === '' ? '' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
