import type { Charge, Ledger, Reservation, Settled } from '../billing/ledger.ts';
import type { Micros } from '../model/money.ts';
import type { PreparedCall } from './core.ts';

/**
 * What one request runs up: credit for the quote is reserved when it opens, each action that succeeds is noted, and
 * closing it settles those and gives the rest back. It must be closed whatever happens.
 */
export class Tab {
  readonly #ledger: Ledger;
  readonly #reservation: Reservation | null;
  readonly #charges: Charge[] = [];

  private constructor(ledger: Ledger, reservation: Reservation | null) {
    this.#ledger = ledger;
    this.#reservation = reservation;
  }

  /** Throws `insufficient_credits`, or `unavailable` where the store is away. A quote of zero asks nobody. */
  static async open(ledger: Ledger, account: string, quote: Micros): Promise<Tab> {
    return new Tab(ledger, quote > 0 ? await ledger.reserve(account, quote) : null);
  }

  /** Performs the call; it is charged when it succeeds. */
  async run(call: PreparedCall): Promise<unknown> {
    const output = await call.perform();
    if (call.action.price > 0) this.#charges.push({ action: call.action.name, micros: call.action.price });
    return output;
  }

  /** Settles what succeeded. `null` where nothing was charged. */
  async close(): Promise<Settled | null> {
    return this.#reservation && this.#ledger.settle(this.#reservation, this.#charges);
  }
}
