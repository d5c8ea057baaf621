import type { IdempotencyClaim } from '../../billing/idempotency-claim.ts';
import type { Charge, Ledger, Reservation, Settled } from '../../billing/ledger.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PreparedCall } from './action-pipeline.ts';

interface BillingSessionOptions {
  ledger: Ledger;
  runtime: Runtime;
  account: string;
  /** Reserved before the first call, in micro-dollars. */
  quote: Micros;
  /** Of the request's Idempotency-Key, if the request has one. */
  claim: IdempotencyClaim | null;
}

/** The calls of one paid request. `authorize` reserves credit, `run` performs a call, and `settle` or `refuse` ends the session. */
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
   * Reserves the quote; a quote of zero reserves nothing. Throws `insufficient_credits`, or `unavailable` if the store is away, and
   * frees the Idempotency-Key then.
   */
  static async authorize(options: BillingSessionOptions): Promise<BillingSession> {
    const { ledger, account, quote, claim } = options;
    try {
      return new BillingSession(options, quote > 0 ? await ledger.reserve(account, quote) : null);
    } catch (error) {
      await claim?.leave('forgotten');
      throw error;
    }
  }

  /** The calls that succeeded. */
  get charges(): readonly Charge[] {
    return this.#charges;
  }

  /** How many calls were performed, including calls that failed. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Performs the call and charges it if it succeeds. `place` identifies the call within the request: it is the same when the request
   * is sent again, and different for each write of one request.
   */
  async run<Output>(call: PreparedCall<Output>, place = '0'): Promise<Output> {
    const { action } = call;
    let writes = 0;
    this.#calls++;
    const output = await call.perform((operation) => this.#token(`${place} ${action.name} ${operation} ${writes++}`));
    this.#charges.push({ action: action.name, micros: action.price });
    return output;
  }

  /**
   * Charges the calls that succeeded, releases the rest of the reservation, and keeps the response under the Idempotency-Key in the
   * same commit. Returns `null` if nothing was charged, because the request is free or was paid before.
   */
  async settle(status: number, body: string): Promise<Settled | null> {
    const { ledger, claim } = this.#options;
    if (!this.#reservation) {
      await claim?.keep({ status, body });
      return null;
    }
    const charges = this.#charges.filter(({ micros }) => micros > 0);
    if (!claim) return ledger.settle(this.#reservation, charges);
    return ledger.settle(this.#reservation, charges, claim.chargedAnswer({ status, body }));
  }

  /** Charges nothing, because the request failed. `body` is the response that reports the error. */
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
