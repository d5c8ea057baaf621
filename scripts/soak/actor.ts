import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { DemoAccount } from '../../src/platform/sandbox/demo-dataset.ts';
import { Tally } from '../../test/faults/tally.ts';

const requestTimeoutMs = 240_000;
/** A call that fails for this time is given up. */
const patienceMs = 900_000;
const longestPauseMs = 2_000;
/** The highest possible charge for a call whose outcome is unknown. Every query of the soak test costs less. */
const uncertainMicros = 20_000;
/** Statuses after which a retry with the same Idempotency-Key may succeed. */
const transientStatuses = new Set([429, 502, 503, 504]);

export interface Failure {
  what: string;
  from: number;
  to: number;
  /** True if the call was sent again after this failure. */
  isRepeated: boolean;
}

export interface Done<Data> {
  data: Data;
  /** In dollars. */
  charged: number;
}

interface Options {
  /** The expected status. */
  status?: number;
  key?: string;
  headers?: Record<string, string>;
}

/** A response with an unexpected status. */
class Refused extends Error {
  readonly status: number;
  readonly isTransient: boolean;

  constructor(status: number, message: string, isTransient = transientStatuses.has(status)) {
    super(`${status} ${message}`);
    this.status = status;
    this.isTransient = isTransient;
  }
}

/** A platform account and its own API account. Repeats a call until the outcome is known. */
export class Actor {
  /** The tweets that it posted. */
  readonly tally = new Tally();
  /** The sum of the charges in responses, and the highest sum that failed calls may have added, in micro-dollars. */
  charged = 0;
  uncertain = 0;
  /** The number of events that its webhook must receive. */
  happened = 0;
  hook = '';
  readonly platform: DemoAccount;
  /** The id of its API account. */
  readonly account: string;
  /** Failed calls of all actors. */
  readonly failures: Failure[];
  readonly #url: string;
  readonly #key: string;

  constructor(
    platform: DemoAccount,
    { url, account, key, failures }: { url: string; account: string; key: string; failures: Failure[] },
  ) {
    this.platform = platform;
    this.account = account;
    this.failures = failures;
    this.#url = url;
    this.#key = key;
  }

  rest<Data>(
    method: 'GET' | 'POST',
    path: string,
    input: object = {},
    { status = 200, key = this.#key, headers = {} }: Options = {},
  ): Promise<Done<Data>> {
    const sent = { authorization: `Bearer ${key}`, ...headers };
    const query = method === 'GET' ? `?${new URLSearchParams({ ...input })}` : '';
    return this.#send(
      method,
      `/v1${path}${query}`,
      async (response) => {
        const { data, error } = (await response.json()) as { data: Data; error: string | null };
        // A request with the same Idempotency-Key may still be running.
        const isRunning = response.status === 409 && response.headers.has('retry-after');
        if (response.status !== status) {
          throw new Refused(response.status, String(error), isRunning || transientStatuses.has(response.status));
        }
        return { data, charged: chargeOf(response) };
      },
      { headers: sent, ...(method === 'POST' && { body: JSON.stringify(input) }) },
    );
  }

  graphql<Data>(query: string, variables: object): Promise<Data> {
    return this.#send(
      'POST',
      '/graphql',
      async (response) => {
        const { data, errors = [] } = (await response.json()) as {
          data: Data;
          errors?: { message: string; extensions: { status: number } }[];
        };
        const [error] = errors;
        if (error) throw new Refused(error.extensions.status, error.message);
        return data;
      },
      { body: JSON.stringify({ query, variables }) },
    );
  }

  /** Opens a live stream. `next` resolves with the next event. */
  openStream() {
    return this.#send('GET', '/v1/events', async (response) => {
      if (response.status !== 200 || !response.body) throw new Refused(response.status, await response.text());
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      const reader = events.getReader();
      const next = async () => {
        if ((await reader.read()).done) throw new Error('a stream ended');
      };
      return { next, end: () => reader.cancel() };
    });
  }

  /** Calls `send` with a unique text for a tweet, and records in `tally` whether it succeeded. */
  async write<Result>(send: (text: string) => Promise<Result>): Promise<Result> {
    const text = `Soak ${randomUUID()}`;
    try {
      const result = await send(text);
      this.tally.note('acknowledged', text);
      return result;
    } catch (error) {
      this.tally.note('unknown', text);
      throw error;
    }
  }

  async #send<Result>(
    method: string,
    path: string,
    read: (response: Response) => Promise<Result>,
    { headers = {}, body = null }: { headers?: Record<string, string>; body?: string | null } = {},
  ): Promise<Result> {
    const init = {
      method,
      body,
      headers: {
        authorization: `Bearer ${this.#key}`,
        'x-auth-token': this.platform.authToken,
        ...(body !== null && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
        ...headers,
      },
    };
    const givesUpAt = performance.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      const from = performance.now();
      try {
        const response = await fetch(this.#url + path, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) });
        this.charged += Math.round(chargeOf(response) * 1_000_000);
        return await read(response);
      } catch (error) {
        if (!(error instanceof Refused) || error.status === 503) this.uncertain += uncertainMicros;
        if ((error instanceof Refused && !error.isTransient) || performance.now() > givesUpAt) throw error;
        const what = `${method} ${path.split('?')[0]}: ${error}`;
        this.failures.push({ what, from, to: performance.now(), isRepeated: true });
        await sleep(Math.min(longestPauseMs, 100 * 2 ** tries));
      }
    }
  }
}

function chargeOf({ headers }: Response): number {
  return Number(headers.get('x-credits-charged') ?? 0);
}
