// A client of the gateway that repeats a call until it knows the outcome, and records everything that went wrong.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { Agent, fetch, type Response } from 'undici';

const micros = 1_000_000;
const requestTimeoutMs = 60_000;
const longestPauseMs = 2_000;
/** The maximum charge of a call without a known outcome. Every query of the soak test costs less. */
const uncertainMicros = 20_000;

/** An outcome that may be different if the same call is sent again with its Idempotency-Key. */
const passing = new Set([429, 502, 503, 504]);
const passingCodes = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT']);

/** A platform account, with the API account that pays for its calls. */
export interface Actor {
  userId: string;
  userName: string;
  authToken: string;
  encryptionCode: string;
  account: { key: string; index: number };
  /** The receiver of its messages. */
  other: Actor;
  hook: string;
}

export type Method = 'GET' | 'POST';

export interface CallOptions {
  /** The expected status. */
  status?: number;
  key?: string;
  headers?: Record<string, string>;
}

export interface Done<Data> {
  data: Data;
  /** In micro-dollars. */
  charged: number;
}

export interface EventStream {
  /** Resolves with the next event. */
  next: () => Promise<unknown>;
  end: () => void;
}

export interface Failure {
  what: string;
  from: number;
  to: number;
  isRepeated: boolean;
}

export interface Patience {
  /** A call is given up after this time. */
  callMs: number;
  /** A stream fails without an event for this time. */
  eventMs: number;
}

type Payer = Pick<Actor, 'account' | 'authToken'>;

interface Answer {
  data: unknown;
  error?: string;
  errors?: { message: string; extensions?: { code?: string } }[];
}

interface Request {
  method: Method;
  path: string;
  body?: object | undefined;
  headers: Record<string, string>;
}

/** A problem of a response. `isPassing` is true if the same call may succeed later. */
interface Problem {
  what: string;
  isPassing: boolean;
}

export class Caller {
  /** The responses that were not the expected ones. */
  readonly errors: Failure[] = [];
  /** The sums of the accounts by index, in micro-dollars: charges in responses, and what uncertain outcomes may add. */
  readonly charged: number[] = [];
  readonly uncertain: number[] = [];
  readonly #url: string;
  readonly #patience: Patience;
  readonly #agent = new Agent({ connections: 256 });

  constructor(url: string, patience: Patience) {
    this.#url = url;
    this.#patience = patience;
  }

  /** `isRepeated` is true if the call is sent again. */
  fail(what: string, from: number, isRepeated = false): void {
    this.errors.push({ what, from, to: performance.now(), isRepeated });
  }

  /** Calls REST until the status is the expected one. */
  async rest<Data>(
    method: Method,
    path: string,
    input: object,
    { account, authToken, status = 200, key = account.key, headers = {} }: Payer & CallOptions,
  ): Promise<Done<Data>> {
    const query = method === 'GET' ? `?${new URLSearchParams({ ...input })}` : '';
    const request = {
      method,
      path: `/v1${path}${query}`,
      body: method === 'GET' ? undefined : input,
      headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken, ...headers },
    };
    const judge = (response: Response, { error }: Answer) =>
      response.status === status ? null : { what: String(error), isPassing: isPassing(response) };
    const { answer, charged } = await this.#send(request, account, judge);
    return { data: answer.data as Data, charged };
  }

  async graphql<Data>(query: string, variables: object, { account, authToken }: Payer): Promise<Data> {
    const request = {
      method: 'POST' as const,
      path: '/graphql',
      body: { query, variables },
      headers: { authorization: `Bearer ${account.key}`, 'x-auth-token': authToken },
    };
    const judge = (_response: Response, { errors }: Answer) =>
      errors
        ? {
            what: String(errors[0]?.message),
            isPassing: errors.every(({ extensions }) => passingCodes.has(extensions?.code ?? '')),
          }
        : null;
    return (await this.#send(request, account, judge)).answer.data as Data;
  }

  async #send(
    { method, path, body, headers }: Request,
    account: Actor['account'],
    judge: (response: Response, answer: Answer) => Problem | null,
  ) {
    const options = {
      method,
      dispatcher: this.#agent,
      headers:
        body === undefined
          ? headers
          : { 'idempotency-key': randomUUID(), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const givesUpAt = performance.now() + this.#patience.callMs;
    let charged = 0;
    for (let tries = 0; ; tries++) {
      const from = performance.now();
      const name = `${method} ${path.split('?')[0]}`;
      let problem: Problem | null;
      let pauseMs = Math.min(longestPauseMs, 100 * 2 ** tries);
      try {
        const response = await fetch(this.#url + path, { ...options, signal: AbortSignal.timeout(requestTimeoutMs) });
        const text = await response.text();
        const answer = JSON.parse(text) as Answer;
        charged += this.#charge(account, response);
        if (text.includes('may still be charged')) this.#add(this.uncertain, account, uncertainMicros);
        problem = judge(response, answer);
        if (!problem) return { answer, charged };
        problem.what = `${response.status} ${problem.what}`;
        const retryAfter = Number(response.headers.get('retry-after'));
        if (retryAfter > 0) pauseMs = Math.min(longestPauseMs, retryAfter * 1_000);
      } catch (error) {
        problem = { what: textOf(error), isPassing: true };
      }
      const isRepeated = problem.isPassing && performance.now() < givesUpAt;
      this.fail(`${name}: ${problem.what}`, from, isRepeated);
      if (!isRepeated) throw new Reported(`${name}: ${problem.what}`);
      await sleep(pauseMs);
    }
  }

  async openStream({ account, authToken }: Payer): Promise<EventStream> {
    const givesUpAt = performance.now() + this.#patience.callMs;
    for (;;) {
      const from = performance.now();
      const abort = new AbortController();
      const response = await fetch(`${this.#url}/v1/events`, {
        dispatcher: this.#agent,
        signal: abort.signal,
        headers: { authorization: `Bearer ${account.key}`, 'x-auth-token': authToken },
      });
      if (response.status === 200) {
        this.#charge(account, response);
        return readStream(response, abort, this.#patience.eventMs);
      }
      const text = await response.text();
      if (text.includes('may still be charged')) this.#add(this.uncertain, account, uncertainMicros);
      const isRepeated = passing.has(response.status) && from < givesUpAt;
      this.fail(`GET /v1/events: ${response.status} ${text}`, from, isRepeated);
      if (!isRepeated) throw new Reported('no stream');
      await sleep(longestPauseMs);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #charge(account: Actor['account'], response: Response): number {
    const amount = Math.round(Number(response.headers.get('x-credits-charged') ?? 0) * micros);
    this.#add(this.charged, account, amount);
    return amount;
  }

  #add(sums: number[], { index }: Actor['account'], amount: number): void {
    sums[index] = (sums[index] ?? 0) + amount;
  }
}

/** An error that `errors` already has. */
export class Reported extends Error {}

/** Returns the message of an error, with the code of its cause. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? `${error.message} ${cause.code}` : error.message;
}

function isPassing(response: Response): boolean {
  // A request with the same Idempotency-Key may still be running.
  return passing.has(response.status) || (response.status === 409 && response.headers.has('retry-after'));
}

/** `next` fails if no event arrives for `limitMs`. */
function readStream(response: Response, abort: AbortController, limitMs: number): EventStream {
  if (!response.body) throw new Error('a stream has no body');
  const chunks = response.body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const events: unknown[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const next = async () => {
    const late = () => abort.abort(new Error(`no event reached a stream within ${limitMs / 1_000} s`));
    const timer = setTimeout(late, limitMs);
    try {
      while (events.length === 0) {
        const { done, value } = await chunks.next();
        if (done) throw new Error('a stream ended');
        parser.feed(decoder.decode(value, { stream: true }));
      }
      return events.shift();
    } finally {
      clearTimeout(timer);
    }
  };
  return { next, end: () => abort.abort() };
}
