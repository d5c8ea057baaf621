import type { Action } from '../../../actions/action.ts';
import type { EdgePage } from '../../../actions/paging/paging.ts';
import type { BillingSession } from '../../../actions/pipeline/billing-session.ts';
import { tweetDetail } from '../../../actions/tweet/lookup.ts';
import type { CallRecorder } from '../../../billing/call-recorder.ts';
import type { RateState } from '../../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../../shared/errors/postern-error.ts';
import type { LiveStream } from '../../../shared/model/event.ts';
import type { Micros } from '../../../shared/model/money.ts';
import type { Tweet } from '../../../shared/model/tweet.ts';
import { lookupOf, ObjectBatches } from './object-batches.ts';
import type { RequestCalls } from './request-calls.ts';
import type { RequestLifetime } from './request-lifetime.ts';
import type { ResponseBudget } from './response-budget.ts';

type Input = Record<string, unknown>;

export interface SessionParts {
  account: string;
  calls: RequestCalls;
  billing: BillingSession;
  budget: ResponseBudget;
  lifetime: RequestLifetime;
  recorder: CallRecorder;
  quoted: Micros;
  costLimit: Micros;
  /** The rate limit of the key; `null` if the key has no limit. */
  rate: RateState | null;
}

/**
 * Runs the calls of one request's resolvers. Fields with the same read share one call, and reads of single tweets and users are performed in
 * bulk. A write discards the results of all earlier reads.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #reads = new Map<string, Promise<unknown>>();
  /** The tweets of lists, by id. They are not read again. */
  readonly #tweets = new Map<string, Tweet>();
  readonly #batches = new ObjectBatches((action, input) => this.#run(action, input));
  /** The stream that `open` returned. */
  stream: LiveStream | null = null;
  /** The error of all reads after the deadline. These reads share one error object, so that it is logged once. */
  #late: PosternError | undefined;
  readonly #failedWrites: PosternError[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * The error to store under the Idempotency-Key if no call succeeded: the first failure with an unknown outcome (status 500 or higher),
   * otherwise the first failure. REST uses the same rule.
   */
  get failure(): PosternError | null {
    return this.#failedWrites.find(({ status }) => status >= 500) ?? this.#failedWrites[0] ?? null;
  }

  get terms(): Pick<SessionParts, 'quoted' | 'costLimit' | 'rate'> {
    return this.#parts;
  }

  get budget(): ResponseBudget {
    return this.#parts.budget;
  }

  read<Output>(action: Action, input: Input): Promise<Output> {
    return this.#once(action, input, false) as Promise<Output>;
  }

  /** Reads a page of a list. The page may begin after any edge. */
  edges(action: Action, input: Input): Promise<EdgePage> {
    return this.#once(action, input, true) as Promise<EdgePage>;
  }

  /** Performs a write. `place` identifies the field of the write. It must be the same when the request is sent again. */
  async write<Output>(action: Action, input: Input, place: string): Promise<Output> {
    const { calls, billing } = this.#parts;
    this.#reads.clear();
    this.#tweets.clear();
    try {
      return (await billing.run(calls.prepare(action, input), place)) as Output;
    } catch (thrown) {
      const error = asPosternError(thrown);
      this.#failedWrites.push(error);
      this.#countFailure(action, error);
      throw error;
    }
  }

  /** Opens a live stream. The stream yields `null` when events before the next item may be missing. */
  async open(action: Action, input: Input): Promise<AsyncIterable<unknown>> {
    const { calls, billing } = this.#parts;
    try {
      this.stream = (await billing.run(calls.prepare(action, input))) as LiveStream;
    } catch (error) {
      this.#countFailure(action, asPosternError(error));
      throw error;
    }
    return eventsOf(this.stream);
  }

  /** Caches an output that another call has already returned, so that this call need not run. */
  note(action: Action, input: Input, output: unknown): void {
    const key = this.#parts.calls.keyOf(action, input);
    if (!this.#reads.has(key)) this.#reads.set(key, Promise.resolve(output));
  }

  /** Keeps the tweets of a list, so that reads of single tweets find them. */
  noteTweets(tweets: readonly Tweet[]): void {
    for (const tweet of tweets) this.#tweets.set(tweet.id, tweet);
  }

  #once(action: Action, input: Input, paged: boolean): Promise<unknown> {
    const key = this.#parts.calls.keyOf(action, input, paged);
    let reading = this.#reads.get(key);
    if (!reading) {
      reading = this.#read(action, input, paged, key);
      this.#reads.set(key, reading);
    }
    return reading;
  }

  #read(action: Action, input: Input, paged: boolean, key: string): Promise<unknown> {
    const known = action === tweetDetail ? this.#tweets.get(String(input['tweet_id'])) : undefined;
    if (known) return Promise.resolve(known);
    const lookup = paged ? undefined : lookupOf(action, input);
    if (!lookup || !this.#parts.calls.accepts(action, input, key)) return this.#run(action, input, paged, key);
    return this.#batches.read(lookup, input);
  }

  #countFailure(action: Action, { code }: PosternError): void {
    const { recorder, account } = this.#parts;
    recorder.failed(account, action.name, code);
  }

  async #run(action: Action, input: Input, paged = false, key?: string): Promise<unknown> {
    const { billing, calls, lifetime } = this.#parts;
    try {
      return await billing.run(calls.prepare(action, input, paged, key));
    } catch (thrown) {
      // All fields that share the read must get the same error object.
      const error = asPosternError(thrown);
      this.#countFailure(action, error);
      if (!lifetime.isLate || error.code !== 'request_timeout') throw error;
      this.#late ??= new PosternError(
        'request_deadline',
        'The request exceeded its time limit, so this field was not read',
      );
      throw this.#late;
    }
  }
}

async function* eventsOf({ items }: LiveStream): AsyncGenerator<unknown> {
  for await (const item of items) yield item.kind === 'gap' ? null : JSON.parse(item.body);
}
