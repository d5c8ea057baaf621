import { formatDollars, type Micros } from '../../shared/model/money.ts';
import { ToolError } from '../tool-error.ts';

/** Limits what the calls of one process may cost in total. Calls in flight count with their price. */
export class SpendingLimit {
  readonly #max: Micros | null;
  #spent: Micros = 0;

  /** `max` is `null` for no limit. */
  constructor(max: Micros | null) {
    this.#max = max;
  }

  /** What the limit leaves, in dollars. `undefined` if there is no limit. */
  get left(): string | undefined {
    return this.#max === null ? undefined : formatDollars(Math.max(0, this.#max - this.#spent));
  }

  /** Counts a call with its price. Throws `insufficient_credits` if the limit does not allow it. */
  reserve(price: Micros): void {
    if (this.#max !== null && this.#spent + price > this.#max) {
      throw new ToolError(
        'insufficient_credits',
        `The call costs ${formatDollars(price)} dollars, and ${this.left} of the ${formatDollars(this.#max)} dollars of this process are left (--max-dollars)`,
      );
    }
    this.#spent += price;
  }

  /** Takes back the part of a call's price that was not charged. It is negative if more was charged. */
  release(micros: Micros): void {
    this.#spent -= micros;
  }
}
