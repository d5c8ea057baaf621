import { setImmediate as nextTurn } from 'node:timers/promises';

/** Estimated bytes of a response that are resolved before others have their turn. Measured: 5 to 20 ms. */
const bytesOfTurn = 65_536;

/** Spreads the resolving of one large response over turns of the event loop. */
export class Pace {
  #room = bytesOfTurn;
  #turn: Promise<unknown> | null = null;

  /** The items, those that do not fit into this turn as promises. Each is about `itemBytes` of the response. */
  spread<Item>(items: readonly Item[], itemBytes: number): readonly (Item | Promise<Item>)[] {
    if (items.length * itemBytes <= this.#room) {
      this.#room -= items.length * itemBytes;
      return items;
    }
    return items.map((item) => this.when(item, itemBytes));
  }

  /** The value: now if it fits into this turn, else in a later one. */
  when<Value>(value: Value, bytes: number): Value | Promise<Value> {
    if (this.#room < bytes) {
      this.#room = bytesOfTurn;
      this.#turn = (this.#turn ?? Promise.resolve()).then(() => nextTurn());
    }
    this.#room -= bytes;
    return this.#turn?.then(() => value) ?? value;
  }
}
