import type { IdempotencyClaim } from '../../billing/idempotency-claim.ts';
import type { Charge, Ledger, Reservation, Settled } from '../../billing/ledger.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PreparedCall } from './core.ts';

interface TabOptions {
  ledger: Ledger;
  runtime: Runtime;
  account: string;
  quote: Micros;
  /** Of the request's Idempotency-Key, where it has one. */
  claim: IdempotencyClaim | null;
}

/**
 * What one request runs up: credit for the quote is reserved when it opens, each action that succeeds is noted, and
 * closing it settles those and gives the rest back. It must be ended, by `close` or by `refuse`.
 */
export class Tab {
  readonly #options: TabOptions;
  readonly #reservation: Reservation | null;
  readonly #charges: Charge[] = [];
  #calls = 0;

  private constructor(options: TabOptions, reservation: Reservation | null) {
    this.#options = options;
    this.#reservation = reservation;
  }

  /**
   * Throws `insufficient_credits`, or `unavailable` where the store is away; the claim is left then. A quote of zero
   * asks nobody.
   */
  static async open(options: TabOptions): Promise<Tab> {
    const { ledger, account, quote, claim } = options;
    try {
      return new Tab(options, quote > 0 ? await ledger.reserve(account, quote) : null);
    } catch (error) {
      await claim?.leave('forgotten');
      throw error;
    }
  }

  /** The calls that succeeded. */
  get charges(): readonly Charge[] {
    return this.#charges;
  }

  /** The calls that were performed, whether they succeeded or not. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Performs the call; it is charged when it succeeds. `place` says where in the request it stands: the same in a
   * request that is sent again, and another for every write of it.
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
   * Settles what succeeded, and keeps the answer where the request has an Idempotency-Key. `null` where nothing was
   * charged, since it is free or was paid before.
   */
  async close(status: number, body: string): Promise<Settled | null> {
    const { ledger, claim } = this.#options;
    if (!this.#reservation) {
      await claim?.keep({ status, body });
      return null;
    }
    const charges = this.#charges.filter(({ micros }) => micros > 0);
    if (!claim) return ledger.settle(this.#reservation, charges);
    return ledger.settle(this.#reservation, charges, claim.chargedAnswer({ status, body }));
  }

  /** Gives everything back: the request failed, and `body` tells its caller so. */
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
