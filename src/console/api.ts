import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { catalogue, type Method } from './page-data.ts';
import { actor, apiKey, signOut } from './session.ts';

type Input = Readonly<Record<string, unknown>>;

/** An error response of the API, or a failed connection, which has neither code nor request id. */
export class ApiError extends Error {
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;

  constructor(message: string, response: Response | null = null) {
    super(message);
    this.status = response?.status ?? null;
    this.code = response?.headers.get('x-error-code') ?? null;
    this.requestId = response?.headers.get('x-request-id') ?? null;
  }
}

/** The credit in dollars, from the latest response that contained it. */
export const credit = signal<string | null>(null);

/** Returns the price of a call in dollars. */
export function priceOf(name: string): string {
  return declarationOf(name)[2];
}

export const isFree = (name: string) => priceOf(name) === '0';

export interface PreparedRequest {
  method: Method;
  /** The path with its query, below the origin. */
  path: string;
  body: string | null;
}

/** Returns the request of a call. Fields that are undefined are left out. */
export function prepare(name: string, input: Input = {}): PreparedRequest {
  const [method, template] = declarationOf(name);
  const inPath = new Set<string>();
  const filled = template.replace(/\{(\w+)\}/g, (_all, field: string) => {
    inPath.add(field);
    return encodeURIComponent(String(input[field]));
  });
  const rest = Object.entries(input).filter(([field, value]) => value !== undefined && !inPath.has(field));
  if (method !== 'GET') {
    return { method, path: `/v1${filled}`, body: rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : null };
  }
  const query = new URLSearchParams(rest.map(([field, value]) => [field, String(value)])).toString();
  return { method, path: `/v1${filled}${query && `?${query}`}`, body: null };
}

export interface CallOptions {
  /** True if the call acts as the chosen actor. */
  asActor?: boolean;
  /** A write that is repeated with the same key is performed once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Makes a call and returns the `data` of its response. Throws `ApiError`. */
export async function call<T>(name: string, input: Input = {}, options: CallOptions = {}): Promise<T> {
  const response = await send(name, input, options);
  const { data } = await response.json();
  return data;
}

/** Returns the UTF-8 bytes of a credential, each as one character, because `fetch` refuses other header values. */
function utf8Bytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Makes a call and returns its response, whose status is 2xx. Throws `ApiError`. */
export async function send(
  name: string,
  input: Input = {},
  { asActor = false, idempotencyKey, signal }: CallOptions = {},
): Promise<Response> {
  const { method, path, body } = prepare(name, input);
  const key = apiKey.value;
  const headers = new Headers({ authorization: `Bearer ${key}` });
  if (body !== null) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (asActor && actor.value) {
    headers.set('x-auth-token', utf8Bytes(actor.value.authToken));
    if (actor.value.encryptionCode) headers.set('x-encryption-code', utf8Bytes(actor.value.encryptionCode));
  }
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body, signal: signal ?? null, credentials: 'omit' });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      'The gateway cannot be reached. Check the network connection and whether the gateway is running.',
    );
  }
  credit.value = response.headers.get('x-credits-remaining') ?? credit.value;
  if (response.ok) return response;
  const error = new ApiError(await messageOf(response), response);
  if (response.status === 401 && key === apiKey.value) signOut(error);
  throw error;
}

/** Every error of the gateway has a JSON body. A response without one comes from a proxy in front of the gateway. */
async function messageOf(response: Response): Promise<string> {
  const body = await response.json().catch(() => null);
  return typeof body?.error === 'string'
    ? body.error
    : `The gateway did not respond: a proxy in front of it returned status ${response.status}.`;
}

/** The state of a call that is shown on a page. */
export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
}

/** Makes a free call when the component appears and when its input changes. Earlier data stays visible while a new call runs. */
export function useFreeCall<T>(name: string, input: Input = {}): Loaded<T> {
  if (!isFree(name)) throw new Error(`${name} is not free: call it when the visitor asks for it`);
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ data: null, error: null, loading: true });
  const [round, setRound] = useState(0);
  const text = JSON.stringify(input);
  useEffect(() => {
    const aborter = new AbortController();
    setState(({ data }) => ({ data, error: null, loading: true }));
    call<T>(name, JSON.parse(text), { signal: aborter.signal }).then(
      (data) => setState({ data, error: null, loading: false }),
      (error) => {
        if (!aborter.signal.aborted) setState(({ data }) => ({ data, error, loading: false }));
      },
    );
    return () => aborter.abort();
  }, [name, text, round]);
  return { ...state, reload: () => setRound((count) => count + 1) };
}

/** Makes calls of one page. `busy` is the id of the running call, and `error` that of the last one. */
export function useCalls(common: Input) {
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async <T>(name: string, input: Input, onDone: (data: T) => void, id = name) => {
    setBusy(id);
    setError(null);
    try {
      onDone(await call<T>(name, { ...common, ...input }));
    } catch (thrown) {
      setError(thrown as ApiError);
    } finally {
      setBusy(null);
    }
  };
  return { busy, error, run };
}

function declarationOf(name: string): readonly [Method, string, string] {
  const found = catalogue[name];
  if (!found) throw new ApiError(`This gateway has no call ${name}.`);
  return found;
}
