/**
 * Who stands in a relation, in the order in which they entered it. Each gets a number on entering, which grows and is never
 * given twice: a page that ends at a number goes on below it, whoever comes or goes meanwhile.
 */
export class Relation<T> {
  readonly #numbers = new Map<T, number>();
  /** Both in the order of entering, side by side. */
  readonly #items: T[] = [];
  readonly #order: number[] = [];
  #last = 0;

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return this.#numbers.has(item);
  }

  /** Says whether it was not there before. */
  add(item: T): boolean {
    if (this.#numbers.has(item)) return false;
    this.#numbers.set(item, ++this.#last);
    this.#items.push(item);
    this.#order.push(this.#last);
    return true;
  }

  delete(item: T): boolean {
    const number = this.#numbers.get(item);
    if (number === undefined) return false;
    this.#numbers.delete(item);
    const at = lowerBound(this.#order, number);
    this.#items.splice(at, 1);
    this.#order.splice(at, 1);
    return true;
  }

  /** Oldest first. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#items[Symbol.iterator]();
  }

  /** Newest first, of those that entered before the one with the number `before`. */
  *newestFirst(before: number | undefined): Generator<readonly [item: T, number: number]> {
    let at = before === undefined ? this.#items.length : lowerBound(this.#order, before);
    while (--at >= 0) {
      const item = this.#items[at];
      const number = this.#order[at];
      if (item !== undefined && number !== undefined) yield [item, number];
    }
  }
}

/** How many of the ascending numbers are below `end`. */
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
