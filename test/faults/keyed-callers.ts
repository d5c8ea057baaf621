import { type Caller, mutate, post, send, thinkMs } from './callers.ts';
import { type Gateway, pause } from './gateway.ts';
import { pick } from './schedule.ts';

/** The maximum number of waiting keys. A key of a dead gateway can be claimed again only after `claimTtlMs`, so many may wait. */
const waitingLimit = 40;
/** The maximum time for which a caller repeats a request after the last fault. It is longer than a claim lives. */
const untilKnownMs = 300_000;
/** After the last fault, a caller repeats its request after ever longer pauses, so that a slow database can catch up. The longest is twice this. */
const longestPauseMs = 15_000;

/**
 * Posts tweets with Idempotency-Keys over REST and GraphQL, and repeats each request until its outcome is known, sometimes twice at the same time. In the end no
 * outcome is unknown, so the charges must equal the acknowledged calls exactly.
 */
export async function callOnWithKeys(caller: Caller, name: string): Promise<void> {
  const waiting = new Set<Promise<void>>();
  for (let i = 0; !caller.done(); i++) {
    const text = `${name} wrote number ${i} under a key`;
    const request = new KeyedRequest(caller, `${name}-${i}`, text);
    caller.tally.issued += 1;
    const first = request.sendOften();
    const finished = request.finish(first).finally(() => waiting.delete(finished));
    waiting.add(finished);
    await first;
    await pause(caller.random() * 2 * thinkMs);
    while (waiting.size >= waitingLimit) await Promise.race(waiting);
  }
  await Promise.all(waiting);
}

/** A tweet with one Idempotency-Key. */
class KeyedRequest {
  readonly #caller: Caller;
  readonly #key: string;
  readonly #text: string;
  readonly #isGraphql: boolean;
  /** The tweet ids in the responses. */
  readonly #ids = new Set<string>();

  constructor(caller: Caller, key: string, text: string) {
    this.#caller = caller;
    this.#key = key;
    this.#text = text;
    this.#isGraphql = caller.random() < 0.5;
  }

  /** Makes one attempt, or two at the same time, which may reach two gateways. Returns true if the outcome is known. */
  async sendOften(): Promise<boolean> {
    const times = this.#caller.random() < 0.2 ? 2 : 1;
    const known = await Promise.all(Array.from({ length: times }, () => this.#send()));
    return known.includes(true);
  }

  async finish(first: Promise<boolean>): Promise<void> {
    const { tally, random, done } = this.#caller;
    let known = await first;
    let quietSince = Number.POSITIVE_INFINITY;
    let pauseMs = 1_000;
    while (!known && performance.now() - quietSince < untilKnownMs) {
      if (done()) {
        quietSince = Math.min(quietSince, performance.now());
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
      await pause(pauseMs * (1 + random()));
      known = await this.sendOften();
    }
    // A repeated request must return the same response.
    if (known && random() < 0.2) await this.#send();
    if (this.#ids.size > 1) tally.wrong.push(`two answers to one key: ${[...this.#ids]} for ${this.#text}`);
    tally.note(known ? 'acknowledged' : 'unknown', this.#text);
  }

  async #send(): Promise<boolean> {
    const caller = this.#caller;
    const { origin } = pick(caller.random, caller.gateways as [Gateway, ...Gateway[]]);
    if (origin === null) {
      await pause(10);
      return false;
    }
    const text = this.#text;
    const request = this.#isGraphql ? mutate(caller, text) : post(caller, '/tweet/create', { text });
    const headers = { ...request.headers, 'idempotency-key': this.#key };
    const answer = await send(origin, { ...request, headers });
    if (answer === null || answer === 'unsent') return false;
    const { status, body } = answer;
    if (status < 300) {
      this.#ids.add(String(body.data?.id ?? body.data?.createTweet?.tweet.id));
      return true;
    }
    const error = body.error ?? body.errors?.[0]?.message;
    // Another attempt is running, or the database or the platform is unavailable, so the request is repeated.
    const later = [409, 502, 503, 504].includes(status);
    if (!later) caller.tally.wrong.push(`${status} to a key: ${error}`);
    else if (status === 409 && answer.headers.get('retry-after') === null) {
      caller.tally.wrong.push(`409 without Retry-After to a key: ${error}`);
    }
    return false;
  }
}
