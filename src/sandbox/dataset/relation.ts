/** The items of a relation in a snapshot, in the order of insertion. Their insertion numbers are 1, 2, 3 and so on. */
export interface StoredItems<T> {
  readonly size: number;
  at(index: number): T | undefined;
  has(item: T): boolean;
}

interface Items<T> {
  readonly numbers: Map<T, number>;
  /** The items and their insertion numbers: `order[i]` belongs to `items[i]`. */
  readonly items: T[];
  readonly order: number[];
  last: number;
}

/**
 * An ordered set of related items, such as the followers of a user, in the order of insertion. Each insertion gets an
 * increasing number that is never reused. A page that ends at a number can be continued below that number, even if
 * items were added or removed in between.
 */
export class Relation<T> {
  readonly #stored: StoredItems<T> | undefined;
  /**
   * The changeable form, created by the first change. Most relations of a dataset never change, and the stored form
   * needs much less memory.
   */
  #changed: Items<T> | undefined;

  constructor(stored?: StoredItems<T>) {
    this.#stored = stored;
  }

  get size(): number {
    return this.#changed?.items.length ?? this.#stored?.size ?? 0;
  }

  has(item: T): boolean {
    return this.#changed?.numbers.has(item) ?? this.#stored?.has(item) ?? false;
  }

  /** Adds an item. Returns false if the item is already in the set. */
  add(item: T): boolean {
    if (this.has(item)) return false;
    const items = this.#change();
    items.numbers.set(item, ++items.last);
    items.items.push(item);
    items.order.push(items.last);
    return true;
  }

  delete(item: T): boolean {
    if (!this.has(item)) return false;
    const { numbers, items, order } = this.#change();
    const at = lowerBound(order, numbers.get(item) ?? 0);
    numbers.delete(item);
    items.splice(at, 1);
    order.splice(at, 1);
    return true;
  }

  /** Iterates over the items, oldest first. */
  *[Symbol.iterator](): Generator<T> {
    for (let at = 0; at < this.size; at++) {
      const item = this.#at(at);
      if (item !== undefined) yield item;
    }
  }

  /** Yields items newest first, starting below the insertion number `before`. */
  *newestFirst(before: number | undefined): Generator<readonly [item: T, number: number]> {
    let at = before === undefined ? this.size : this.#below(before);
    while (--at >= 0) {
      const item = this.#at(at);
      if (item !== undefined) yield [item, this.#changed?.order[at] ?? at + 1];
    }
  }

  #at(index: number): T | undefined {
    return this.#changed === undefined ? this.#stored?.at(index) : this.#changed.items[index];
  }

  /** The number of items whose insertion number is below `before`. */
  #below(before: number): number {
    if (this.#changed !== undefined) return lowerBound(this.#changed.order, before);
    return Math.min(Math.max(0, before - 1), this.size);
  }

  #change(): Items<T> {
    if (this.#changed === undefined) {
      const items = [...this];
      const order = items.map((_item, index) => index + 1);
      const numbers = new Map(items.map((item, index) => [item, index + 1]));
      this.#changed = { numbers, items, order, last: items.length };
    }
    return this.#changed;
  }
}

/** Returns the index of the first number that is not below `end`, in an ascending array. */
export function lowerBound(numbers: readonly number[], end: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return low;
}
