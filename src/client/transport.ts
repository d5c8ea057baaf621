import { type Bytes, base64Of } from './bytes.ts';
import { errorTable } from './error-table.ts';
import { ConnectionError, PosternError, responseError } from './errors.ts';
import { sleep, Watchdog } from './watchdog.ts';

/** The options of a call. They take precedence over the options of the client. */
export interface CallOptions {
  /** The token of the platform account that the call acts as. */
  authToken?: string | undefined;
  /** The code that opens the direct messages of this account. It is sent only with calls that need it. */
  encryptionCode?: string | undefined;
  /** The proxy for requests to the platform, such as `http://user:password@proxy.example:8080`. */
  proxy?: string | undefined;
  /** Aborts the call, and the wait before a retry. The service completes and charges a write that has reached it. */
  signal?: AbortSignal | undefined;
  /** Time limit of each attempt in milliseconds. */
  timeoutMs?: number | undefined;
  /** How often a failed call is sent again. */
  maxRetries?: number | undefined;
  /** A key of your own for a `POST`. Writes without one get a random key. */
  idempotencyKey?: string | undefined;
}

export interface ClientOptions {
  /** The address of the service with its version, such as `http://127.0.0.1:4000/v1`. */
  baseUrl: string;
  /** The API key, whose account pays. */
  apiKey: string;
  authToken?: string | undefined;
  encryptionCode?: string | undefined;
  proxy?: string | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How often a failed call is sent again. Default: 2. */
  maxRetries?: number | undefined;
  /** Time limit of each attempt in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** The maximum `Retry-After`. With a longer one, the call fails without a retry. Default: 60,000. */
  maxRetryAfterMs?: number | undefined;
}

/** The data of a call together with its response. */
export interface CallResult<Data> {
  data: Data;
  /** The response, whose body was read already. */
  response: Response;
  /** The id of the request in the log of the service. */
  requestId: string | null;
  /** The price in dollars, an exact decimal. `null` if nothing was charged. */
  creditsCharged: string | null;
  /** The credit in dollars after the call, an exact decimal. `null` if nothing was charged. */
  creditsRemaining: string | null;
  /** True if the service had performed a request with this key before. */
  replayed: boolean;
  /** How often the call was sent again. */
  retries: number;
}

/** The declaration of a call. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The effect of the call: `read` and `idempotent` may be repeated. */
  effect: 'read' | 'idempotent' | 'once';
  /** The call acts as a platform account, or stores its credentials. Stored credentials change only if the options of the call have them. */
  actor?: 'acts' | 'stored';
  /** The call may need the encryption code. */
  code?: true;
  /** Fields that contain a file. */
  bytes?: readonly string[];
}

export type Input = Readonly<Record<string, unknown>>;

/** A request that can be sent several times. */
export interface PreparedRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** True if the request may be sent again after a failure that leaves its outcome unknown. */
  repeatable: boolean;
  /** True if the request has an encryption code, which may be wrong. */
  guesses: boolean;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  maxRetries: number;
}

export const firstPauseMs = 500;
const longestPauseMs = 8_000;

const credentials = { authToken: 'x-auth-token', encryptionCode: 'x-encryption-code', proxy: 'x-proxy' } as const;
const fieldsOfCredentials: Readonly<Record<string, string>> = {
  auth_token: 'authToken',
  encryption_code: 'encryptionCode',
  proxy: 'proxy',
};

/** Sends the requests of a client. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly #baseUrl: string;

  /** Throws `TypeError` if an option is missing or malformed. The message never contains the value of a credential. */
  constructor(options: ClientOptions) {
    this.#options = { ...options };
    // Browsers and Workers refuse to call `fetch` as a method of another object.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    requireHeaderValue('apiKey', options.apiKey);
    for (const name of Object.keys(credentials) as (keyof typeof credentials)[])
      if (options[name] !== undefined) credentialHeader(name, options[name]);
  }

  get options(): ClientOptions {
    return { ...this.#options };
  }

  /** Sends a call and returns its result. Throws `PosternError`, or the reason of the signal. */
  async send<Data>(endpoint: Endpoint, input: Input, options: CallOptions): Promise<CallResult<Data>> {
    const request = await this.prepare(endpoint, input, options);
    for (let retries = 0; ; retries++) {
      const watchdog = new Watchdog(request.signal);
      try {
        const response = await this.open(request, watchdog);
        return { ...resultOf<Data>(response, await this.#read(request, watchdog, () => response.text())), retries };
      } catch (error) {
        const waitMs = this.waitBeforeRetry(request, error, retries);
        if (waitMs === null || retries >= request.maxRetries) {
          if (error instanceof PosternError) error.idempotencyKey = request.headers['idempotency-key'] ?? null;
          throw error;
        }
        await sleep(waitMs, request.signal);
      } finally {
        watchdog.stop();
      }
    }
  }

  /** Builds the request of a call. Throws `TypeError` if the input or an option is malformed. */
  async prepare(endpoint: Endpoint, input: Input, options: CallOptions): Promise<PreparedRequest> {
    const { method, effect } = endpoint;
    const { maxRetries = this.#options.maxRetries ?? 2, timeoutMs = this.#options.timeoutMs ?? 60_000 } = options;
    if (!(maxRetries >= 0)) throw new TypeError('maxRetries must be 0 or more');
    if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be more than 0');
    const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    for (const [field, option] of Object.entries(fieldsOfCredentials))
      if (fields.has(field)) throw new TypeError(`${field} is not part of the input: use the option ${option}`);
    for (const field of endpoint.bytes ?? []) {
      const file = fields.get(field);
      if (typeof file === 'object' && file !== null) fields.set(field, await base64Of(file as Exclude<Bytes, string>));
    }
    const headers = this.#headersOf(endpoint, options);
    const key = options.idempotencyKey ?? (method === 'POST' && effect !== 'read' ? crypto.randomUUID() : undefined);
    if (key !== undefined) {
      if (method !== 'POST') throw new TypeError('idempotencyKey is accepted with calls that POST only');
      headers['idempotency-key'] = requireHeaderValue('idempotencyKey', key);
    }
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => segment(field, take(fields, field)));
    const hasBody = method !== 'GET' && method !== 'DELETE';
    if (hasBody) headers['content-type'] = 'application/json';
    return {
      url: this.#baseUrl + path + (hasBody ? '' : queryOf(fields)),
      method,
      headers,
      body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : null,
      // A repeated DELETE would be refused with 404, as if there were nothing to delete.
      repeatable: method !== 'DELETE' && (effect !== 'once' || key !== undefined),
      guesses: headers[credentials.encryptionCode] !== undefined,
      signal: options.signal,
      timeoutMs,
      maxRetries,
    };
  }

  /** Sends a request once. Returns a successful response, whose body the caller must read. */
  async open(request: PreparedRequest, watchdog: Watchdog, more: Record<string, string> = {}): Promise<Response> {
    const { url, method, headers, body, timeoutMs } = request;
    watchdog.restart(timeoutMs);
    const init: RequestInit = {
      method,
      headers: { ...headers, ...more },
      body,
      signal: watchdog.signal,
      // A redirect would carry the credentials to another address.
      redirect: 'manual',
    };
    const response = await this.#read(request, watchdog, () => this.#fetch(url, init));
    if (response.ok) return response;
    const details = {
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      retryAfterSeconds: retryAfterOf(response),
    };
    if (response.status < 400)
      throw new ConnectionError('unexpected_response', 'The service sent a redirect: check baseUrl', details);
    const text = await this.#read(request, watchdog, () => response.text());
    const message = messageOf(text) ?? `The service responded with status ${response.status}`;
    throw responseError(response.headers.get('x-error-code'), this.#withoutSecrets(request, message), details);
  }

  /**
   * Returns the milliseconds to wait before a request is sent again; `null` if it must not be sent again. `retries` is the number of retries so far.
   */
  waitBeforeRetry(request: PreparedRequest, error: unknown, retries: number): number | null {
    if (!(error instanceof PosternError)) return null;
    const { code, retryAfterSeconds: after } = error;
    let mayPass = request.repeatable && (code === 'connection_failed' || code === 'timed_out' || isPassing(code));
    // The service refused the request before it did anything. A limit without Retry-After does not end by itself, and a retry with a wrong
    // encryption code would use up one of its guesses.
    if (code === 'rate_limited') mayPass = after !== null && !request.guesses;
    // The first request with this key is still running.
    if (code === 'conflict') mayPass = after !== null && request.headers['idempotency-key'] !== undefined;
    if (!mayPass || (after ?? 0) * 1_000 > (this.#options.maxRetryAfterMs ?? 60_000)) return null;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
    return Math.max((after ?? 0) * 1_000, pauseMs * (0.5 + Math.random() / 2));
  }

  #headersOf(endpoint: Endpoint, options: CallOptions): Record<string, string> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#options.apiKey}` };
    for (const [name, header] of Object.entries(credentials) as [keyof typeof credentials, string][]) {
      if (endpoint.actor === undefined || (name === 'encryptionCode' && !endpoint.code)) continue;
      const value = options[name] ?? (endpoint.actor === 'acts' ? this.#options[name] : undefined);
      if (value !== undefined) headers[header] = credentialHeader(name, value);
    }
    return headers;
  }

  /** Waits for a part of a response. Throws `ConnectionError`, or the reason of the caller's signal. */
  async #read<Part>(request: PreparedRequest, watchdog: Watchdog, read: () => Promise<Part>): Promise<Part> {
    try {
      return await watchdog.wait(read());
    } catch (error) {
      if (watchdog.signal.aborted) throw watchdog.signal.reason;
      throw this.connectionError(request, error);
    }
  }

  /** The error of `fetch` is not the cause of this error, because other implementations may add the request with its credentials. */
  connectionError(request: PreparedRequest, error: unknown): ConnectionError {
    const { message, cause } = error as { message?: string; cause?: { code?: string } };
    const reason = this.#withoutSecrets(request, String(cause?.code ?? message ?? 'unknown reason'));
    return new ConnectionError('connection_failed', `The connection to the service failed: ${reason}`);
  }

  #withoutSecrets({ headers }: PreparedRequest, text: string): string {
    const sent = Object.values(credentials).flatMap((header) => headers[header] ?? []);
    const secrets = [this.#options.apiKey, ...sent, ...sent.map(utf8Text)];
    return secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  }
}

function isPassing(code: PosternError['code']): boolean {
  return Object.hasOwn(errorTable, code) && errorTable[code as keyof typeof errorTable].mayPass;
}

function resultOf<Data>(response: Response, text: string): Omit<CallResult<Data>, 'retries'> {
  const { headers, status } = response;
  const requestId = headers.get('x-request-id');
  const body = parsed(text);
  if (body?.['status'] !== true) {
    const details = { status, requestId };
    throw new ConnectionError('unexpected_response', 'The response is not from Postern: check baseUrl', details);
  }
  return {
    data: body['data'] as Data,
    response,
    requestId,
    creditsCharged: headers.get('x-credits-charged'),
    creditsRemaining: headers.get('x-credits-remaining'),
    replayed: headers.get('idempotent-replayed') === 'true',
  };
}

function messageOf(text: string): string | null {
  const error = parsed(text)?.['error'];
  return typeof error === 'string' ? error : null;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function retryAfterOf(response: Response): number | null {
  const text = response.headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Proxies may send a date.
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

function checkedBaseUrl(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // The message of this error contains the text.
  }
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError(
      'baseUrl must be an http or https address without credentials and query, such as http://127.0.0.1:4000/v1',
    );
  return url.href.replace(/\/+$/, '');
}

/** Returns the value. Throws if it is not a header value, because `fetch` would throw an error that contains the value. */
function requireHeaderValue(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing or empty`);
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    throw new TypeError(`${name} has characters other than printable ASCII`);
  return value;
}

/**
 * Returns a credential as a header value: its UTF-8 bytes, each as one character, because `fetch` refuses other
 * characters. Throws `TypeError` for a value that cannot be sent in a header.
 */
export function credentialHeader(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing or empty`);
  if (/^\s|\s$|[\p{Cc}\p{Cs}]/u.test(value))
    throw new TypeError(`${name} has control characters, or whitespace at its start or end`);
  return String.fromCharCode(...new TextEncoder().encode(value));
}

/** Reverses `credentialHeader`. */
function utf8Text(value: string): string {
  return new TextDecoder().decode(Uint8Array.from(value, (character) => character.charCodeAt(0)));
}

function take(fields: Map<string, unknown>, name: string): unknown {
  const value = fields.get(name);
  fields.delete(name);
  return value;
}

/** Returns a part of the path. Throws for values that would change the path. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is missing or malformed`);
  return encodeURIComponent(value);
}

function queryOf(fields: ReadonlyMap<string, unknown>): string {
  const given = [...fields].filter(([, value]) => value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
