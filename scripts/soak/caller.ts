// A client of the gateway that repeats a call until it knows the outcome, and records everything that went wrong.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Agent, fetch } from 'undici';

const micros = 1_000_000;
const requestTimeoutMs = 60_000;
const longestPauseMs = 2_000;
/** The most that a call can cost whose response leaves open whether it is charged: a query of the mix costs less. */
const uncertainMicros = 20_000;

/** An outcome that may be different if the same call is sent again with its Idempotency-Key. */
const passing = new Set([429, 502, 503, 504]);
const passingCodes = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT']);

/** What is wrong with a response. `isPassing` is true if the same call may succeed later. */
interface Problem {
  what: string;
  isPassing: boolean;
}

export class Caller {
  /** `{ what, from, to }` for each response that was not the expected one. */
  errors = [];
  /** The sums of the accounts by index, in micro-dollars: charges in responses, and what uncertain outcomes may add. */
  charged = [];
  uncertain = [];
  #url;
  #patience;
  #agent = new Agent({ connections: 256 });

  /** `patience`: a call is given up after `callMs`, and a stream fails without an event for `eventMs`. */
  constructor(url, patience) {
    this.#url = url;
    this.#patience = patience;
  }

  /** `isRepeated` is true if the call is sent again. */
  fail(what, from, isRepeated = false) {
    this.errors.push({ what, from, to: performance.now(), isRepeated });
  }

  /** Calls REST until the status is `expected`. Returns the data, and the charge in micro-dollars. */
  async rest(method, path, input, { account, authToken, status = 200, key = account.key, headers = {} }) {
    const query = method === 'GET' ? `?${new URLSearchParams(input)}` : '';
    const request = {
      method,
      path: `/v1${path}${query}`,
      body: method === 'GET' ? undefined : input,
      headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken, ...headers },
    };
    const judge = (response, answer) =>
      response.status === status ? null : { what: answer.error, isPassing: isPassing(response) };
    const { answer, charged } = await this.#send(request, account, judge);
    return { data: answer.data, charged };
  }

  async graphql(query, variables, { account, authToken }) {
    const request = {
      method: 'POST',
      path: '/graphql',
      body: { query, variables },
      headers: { authorization: `Bearer ${account.key}`, 'x-auth-token': authToken },
    };
    const judge = (_response, { errors }) =>
      errors
        ? { what: errors[0].message, isPassing: errors.every(({ extensions }) => passingCodes.has(extensions?.code)) }
        : null;
    return (await this.#send(request, account, judge)).answer.data;
  }

  async #send({ method, path, body, headers }, account, judge) {
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
        const answer = JSON.parse(text);
        charged += this.#charge(account, response);
        if (text.includes('may still be charged')) this.#add(this.uncertain, account, uncertainMicros);
        problem = judge(response, answer);
        if (!problem) return { answer, charged };
        problem.what = `${response.status} ${problem.what}`;
        const retryAfter = Number(response.headers.get('retry-after'));
        if (retryAfter > 0) pauseMs = Math.min(longestPauseMs, retryAfter * 1_000);
      } catch (error) {
        problem = { what: `${error.message} ${error.cause?.code ?? ''}`, isPassing: true };
      }
      const isRepeated = problem.isPassing && performance.now() < givesUpAt;
      this.fail(`${name}: ${problem.what}`, from, isRepeated);
      if (!isRepeated) throw new Reported(`${name}: ${problem.what}`);
      await sleep(pauseMs);
    }
  }

  /** Opens a live stream. Returns a function that resolves with the next event, and one that ends the stream. */
  async openStream({ account, authToken }) {
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

  close() {
    return this.#agent.destroy();
  }

  #charge(account, response) {
    const amount = Math.round(Number(response.headers.get('x-credits-charged') ?? 0) * micros);
    this.#add(this.charged, account, amount);
    return amount;
  }

  #add(sums, { index }, amount) {
    sums[index] = (sums[index] ?? 0) + amount;
  }
}

/** An error that `errors` already has. */
export class Reported extends Error {}

function isPassing(response) {
  // A request with the same Idempotency-Key may still be running.
  return passing.has(response.status) || (response.status === 409 && response.headers.has('retry-after'));
}

/** `next` fails if no event arrives for `limitMs`. */
function readStream(response, abort, limitMs) {
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async () => {
    const late = () => abort.abort(new Error(`no event reached a stream within ${limitMs / 1_000} s`));
    const timer = setTimeout(late, limitMs);
    try {
      const { done, value } = await reader.read();
      if (done) throw new Error('a stream ended');
      return value;
    } finally {
      clearTimeout(timer);
    }
  };
  return { next, end: () => abort.abort() };
}
