import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { IdempotencyClaim } from '../../billing/idempotency-claim.ts';
import type { Charge, KeyBudget, Ledger, Reservation, Settled } from '../../billing/ledger.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
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
}

/**
 * Bills the calls of one request. `authorize` reserves credit, `run` performs a call, and `settle` or `refuse` ends the
 * session.
 */
export class BillingSession {
  readonly #options: BillingSessionOptions;
  readonly #reservation: Reservation | null;
  readonly #charges: Charge[] = [];
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
    const output = await call.perform((operation) => this.#token(`${place} ${action.name} ${operation} ${writes++}`));
    if (action.price > 0) recorder.succeeded(account, action.name, runtime.now() - startedAt);
    this.#charges.push({ action: action.name, micros: action.price });
    return output;
  }

  /**
   * Charges the successful calls and releases the rest of the reservation. The same commit stores the response under
   * the Idempotency-Key. Returns `null` if nothing was charged, because the request is free or an earlier attempt was
   * charged.
   */
  async settle(status: number, body: string): Promise<Settled | null> {
    const { ledger, claim } = this.#options;
    const charges = this.#charges.filter(({ micros }) => micros > 0);
    if (this.#reservation && charges.length > 0) {
      if (!claim) return ledger.settle(this.#reservation, charges);
      return ledger.settle(this.#reservation, charges, claim.chargedAnswer({ status, body }));
    }
    // Without a charge there is no commit that could store the response.
    if (this.#reservation) await ledger.settle(this.#reservation, []);
    await claim?.keepUnpaid({ status, body });
    return null;
  }

  /** Ends the session without a charge, because the request failed. `body` is the error response. */
  async refuse(error: PosternError, body: string): Promise<void> {
    const { ledger, claim } = this.#options;
    if (this.#reservation) await ledger.settle(this.#reservation, []);
    await claim?.refuse(error, body);
  }

  #token(part: string): string {
    const { claim, runtime } = this.#options;
    return claim ? claim.token(part) : runtime.randomBytes(16).toString('hex');
  }
}
