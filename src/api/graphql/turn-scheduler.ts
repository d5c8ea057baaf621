import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves about this many bytes of a response in one turn of the event loop. Measured: 5 to 20 ms. */
const bytesOfTurn = 65_536;

/** Distributes the resolving of one large response over several turns of the event loop. */
export class TurnScheduler {
  #bytesLeft = bytesOfTurn;
  #turn: Promise<unknown> | null = null;

  /**
   * Returns the items, with promises in place of the items that do not fit into this turn. Each item adds about `itemBytes` to the
   * response.
   */
  spread<Item>(items: readonly Item[], itemBytes: number): readonly (Item | Promise<Item>)[] {
    if (items.length * itemBytes <= this.#bytesLeft) {
      this.#bytesLeft -= items.length * itemBytes;
      return items;
    }
    return items.map((item) => this.when(item, itemBytes));
  }

  /** Returns the value if it fits into this turn. Otherwise returns a promise that resolves in a later turn. */
  when<Value>(value: Value, bytes: number): Value | Promise<Value> {
    if (this.#bytesLeft < bytes) {
      this.#bytesLeft = bytesOfTurn;
      this.#turn = (this.#turn ?? Promise.resolve()).then(() => nextTurn());
    }
    this.#bytesLeft -= bytes;
    return this.#turn?.then(() => value) ?? value;
  }
}
