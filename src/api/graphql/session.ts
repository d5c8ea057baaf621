import type { Action } from '../../actions/action.ts';
import type { EdgePage } from '../../actions/paging/paging.ts';
import type { PreparedCall } from '../../actions/pipeline/action-pipeline.ts';
import type { BillingSession } from '../../actions/pipeline/billing-session.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { LiveStream } from '../../shared/model/event.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { RequestCalls } from './request-calls.ts';
import type { ResponseBudget } from './response-budget.ts';
import type { DocumentScope } from './selection.ts';

type Input = Record<string, unknown>;

export interface SessionParts {
  account: string;
  calls: RequestCalls;
  billing: BillingSession;
  scope: DocumentScope;
  budget: ResponseBudget;
  /** Returns true once the deadline of the request has passed. */
  isLate: () => boolean;
  quoted: Micros;
  costLimit: Micros;
  /** `null` if the key has no limit. */
  rate: RateState | null;
}

/**
 * The calls that the resolvers of one request make. Several fields with the same read share one call. A write discards the results
 * of all reads before it.
 */
export class Session {
  readonly #parts: SessionParts;
  readonly #reads = new Map<string, Promise<unknown>>();
  /** The stream that `open` opened. */
  stream: LiveStream | null = null;
  /** The error of all reads after the deadline. They share it, so that it is logged once. */
  #late: PosternError | undefined;
  readonly #failedWrites: PosternError[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * The error of the writes, which decides what is kept under the Idempotency-Key if no call succeeded: a failure with an unknown
   * outcome, otherwise the first failure, as in REST.
   */
  get failure(): PosternError | null {
    return this.#failedWrites.find(({ status }) => status >= 500) ?? this.#failedWrites[0] ?? null;
  }

  /** Counts a write that failed, or that was refused before it began. */
  noteFailedWrite(error: PosternError): void {
    this.#failedWrites.push(error);
  }

  get account(): string {
    return this.#parts.account;
  }

  get scope(): DocumentScope {
    return this.#parts.scope;
  }

  get terms(): Pick<SessionParts, 'quoted' | 'costLimit' | 'rate'> {
    return this.#parts;
  }

  get budget(): ResponseBudget {
    return this.#parts.budget;
  }

  read<Output>(action: Action, input: Input): Promise<Output> {
    const { calls } = this.#parts;
    const key = calls.keyOf(action, input);
    return this.#once(key, () => calls.prepare(action, input, key)) as Promise<Output>;
  }

  /** Reads a page of a list that begins after any of its edges. */
  edges(action: Action, input: Input): Promise<EdgePage> {
    const { calls } = this.#parts;
    const key = calls.edgesKeyOf(action, input);
    return this.#once(key, () => calls.prepareEdges(action, input, key));
  }

  /** Performs a write. `place` identifies its field: it is the same if the request is sent again. */
  async write<Output>(action: Action, input: Input, place: string): Promise<Output> {
    const { calls, billing } = this.#parts;
    this.#reads.clear();
    try {
      return (await billing.run(calls.prepare(action, input), place)) as Output;
    } catch (error) {
      this.noteFailedWrite(asPosternError(error));
      throw error;
    }
  }

  /** Opens a live stream. An item is `null` if events before it may be missing. */
  async open(action: Action, input: Input): Promise<AsyncIterable<unknown>> {
    const { calls, billing } = this.#parts;
    this.stream = (await billing.run(calls.prepare(action, input))) as LiveStream;
    return eventsOf(this.stream);
  }

  /** Stores the output of a call that another call returned as well, so that it need not run. */
  note(action: Action, input: Input, output: unknown): void {
    const key = this.#parts.calls.keyOf(action, input);
    if (!this.#reads.has(key)) this.#reads.set(key, Promise.resolve(output));
  }

  #once<Output>(key: string, prepare: () => PreparedCall<Output>): Promise<Output> {
    let reading = this.#reads.get(key) as Promise<Output> | undefined;
    if (!reading) {
      reading = this.#run(prepare);
      this.#reads.set(key, reading);
    }
    return reading;
  }

  async #run<Output>(prepare: () => PreparedCall<Output>): Promise<Output> {
    const { billing, isLate } = this.#parts;
    try {
      return await billing.run(prepare());
    } catch (thrown) {
      // All fields that share the read get the same error object.
      const error = asPosternError(thrown);
      if (!isLate() || error.code !== 'request_timeout') throw error;
      this.#late ??= new PosternError('request_deadline', 'The request took too long: this was not read any more');
      throw this.#late;
    }
  }
}

async function* eventsOf({ items }: LiveStream): AsyncGenerator<unknown> {
  for await (const item of items) yield item.kind === 'gap' ? null : JSON.parse(item.body);
}
