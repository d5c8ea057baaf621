import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { IdempotencyClaim, ResponseToKeep } from '../../billing/idempotency-claim.ts';
import type { Charge, KeyBudget, Ledger, Reservation, Settled } from '../../billing/ledger.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PreparedCall } from './action-pipeline.ts';

interface BillingSessionOptions {
  ledger: Ledger;
  recorder: CallRecorder;
  runtime: Runtime;
  account: string;
  /** The budget of the API key. `null` if the key has none. */
  budget: KeyBudget | null;
  /** The amount to reserve before the first call, in micro-dollars. */
  quote: Micros;
  /** True if the calls have no side effects. Such calls may run before they are charged. */
  isRead: boolean;
  /** The claim on the request's Idempotency-Key. `null` if the request has none. */
  claim: IdempotencyClaim | null;
  errorBodyOf: (error: PosternError) => string;
}

/**
 * Bills the calls of one request. `authorize` reserves credit, `run` performs a call, and `settle`, `refuse` or `fail`
 * ends the session.
 */
export class BillingSession {
  readonly #options: BillingSessionOptions;
  readonly #reservation: Reservation | null;
  readonly #charges: Charge[] = [];
  /** The charges of the writes that succeeded. */
  readonly #writes: Charge[] = [];
  /** The ids in the outputs of these writes. */
  readonly #ids: Record<string, string>[] = [];
  #calls = 0;

  private constructor(options: BillingSessionOptions, reservation: Reservation | null) {
    this.#options = options;
    this.#reservation = reservation;
  }

  /**
   * Reserves the quote. Nothing is reserved if the quote is zero, or if the call is a read that may run before it is
   * charged. Throws `insufficient_credits`, or `unavailable` if the store cannot be reached. In both cases the
   * Idempotency-Key is released.
   */
  static async authorize(options: BillingSessionOptions): Promise<BillingSession> {
    const { ledger, account, budget, quote, isRead, claim } = options;
    if (quote === 0) return new BillingSession(options, null);
    const deferred = isRead && claim === null && budget === null ? ledger.deferCharge(account, quote) : null;
    if (deferred) return new BillingSession(options, deferred);
    try {
      return new BillingSession(options, await ledger.reserve(account, quote, budget));
    } catch (error) {
      await claim?.leave('forgotten');
      throw error;
    }
  }

  /** The charges of the calls that succeeded. */
  get charges(): readonly Charge[] {
    return this.#charges;
  }

  /** True if a call succeeded that costs something. */
  get isCharged(): boolean {
    return this.#charges.some(({ micros }) => micros > 0);
  }

  /** The number of calls performed, including calls that failed. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Performs a call and adds its charge if it succeeds. `place` identifies the call within the request. A repeated
   * request must use the same values, and two writes of one request must use different ones.
   */
  async run<Output>(call: PreparedCall<Output>, place = '0'): Promise<Output> {
    const { action } = call;
    let writes = 0;
    this.#calls++;
    const { account, recorder, runtime } = this.#options;
    const startedAt = runtime.now();
    let platformMicros = 0;
    const output = await call.run(
      (operation) => this.#token(`${place} ${action.name} ${operation} ${writes++}`),
      (micros) => {
        platformMicros += micros;
      },
    );
    const charge = { action: action.name, micros: action.price, platformMicros };
    this.#charges.push(charge);
    if (action.effect !== 'read') {
      this.#writes.push(charge);
      if (this.#options.claim) this.#ids.push({ action: action.name, ...idsOf(output) });
    }
    if (action.price > 0) recorder.succeeded(account, action.name, runtime.now() - startedAt);
    return output;
  }

  /**
   * Charges the successful calls and releases the rest of the reservation. The same commit stores the response under
   * the Idempotency-Key. Returns `null` if nothing was charged, because the request is free or an earlier attempt was
   * charged. `bodyOf` is called only if the response is kept.
   */
  settle(bodyOf: () => string | Buffer): Promise<Settled | null> {
    return this.#end(this.#charges, { bodyOf: this.#options.isRead ? null : bodyOf, outcome: () => this.#outcome() });
  }

  /** Ends the session without a charge, because the request failed. `bodyOf` returns the error response. */
  async refuse(error: PosternError, bodyOf: () => string): Promise<void> {
    const { ledger, claim } = this.#options;
    try {
      if (this.#reservation && !this.#reservation.settled) await ledger.settle(this.#reservation, []);
    } finally {
      await claim?.refuse(error, bodyOf);
    }
  }

  /**
   * Ends the session after an error, whichever step threw it. Writes that have succeeded are charged, and only their ids
   * are kept. Otherwise nothing is charged. Does not charge what `settle` has charged.
   */
  async fail(error: PosternError): Promise<void> {
    if (this.#writes.length === 0 || this.#reservation?.settled) {
      return this.refuse(error, () => this.#options.errorBodyOf(error));
    }
    await this.#end(this.#writes, { bodyOf: null, outcome: () => this.#outcome() });
  }

  async #end(all: readonly Charge[], response: ResponseToKeep): Promise<Settled | null> {
    const { ledger, claim } = this.#options;
    const charges = all.filter(({ micros }) => micros > 0);
    if (this.#reservation && charges.length > 0) {
      return ledger.settle(this.#reservation, charges, claim?.chargedAnswer(response));
    }
    // Without a charge there is no commit that could store the response.
    if (this.#reservation) await ledger.settle(this.#reservation, []);
    await claim?.keepUnpaid(response);
    return null;
  }

  /** Returns the response to a repeated request if the response to this one is not kept. */
  #outcome() {
    const { isRead, errorBodyOf } = this.#options;
    const error = isRead ? readOutcome() : writeOutcome(this.#ids);
    const { status, reason, ids } = error;
    return { status, body: errorBodyOf(error), reason, ...(isRead ? { isRead } : { ids }) };
  }

  #token(part: string): string {
    const { claim, runtime } = this.#options;
    return claim ? claim.token(part) : runtime.randomBytes(16).toString('hex');
  }
}

/** The longest id that is kept. Ids of the platforms have at most 64 digits. */
const longestId = 128;

/** Returns the fields of an output that contain an id, such as `tweetId`. */
function idsOf(output: unknown): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const [name, value] of Object.entries(Object(output))) {
    if (/^id$|_id$|Id$/.test(name) && typeof value === 'string' && value !== '' && value.length <= longestId)
      ids[name] = value;
  }
  return ids;
}

function writeOutcome(ids: readonly Record<string, string>[]): PosternError {
  return new PosternError(
    'outcome_known',
    'outcome known: the first request with this Idempotency-Key was performed, and only its ids were kept, not its ' +
      `response. Do not send it again. The ids: ${JSON.stringify(ids)}`,
    { ids },
  );
}

function readOutcome(): PosternError {
  return new PosternError(
    'outcome_known',
    'outcome known: the read with this Idempotency-Key was performed, and repeated as often as a key allows. Responses ' +
      'of reads are not kept: send a new key to read again',
  );
}
