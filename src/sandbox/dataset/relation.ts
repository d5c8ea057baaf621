/**
 * An ordered set of related items, such as the followers of a user, in the order of insertion. Each insertion gets an
 * increasing number that is never reused. A page that ends at a number can be continued below that number, even if
 * items were added or removed in between.
 */
export class Relation<T> {
  /** The items and their insertion numbers. Created by the first insertion, because most relations stay empty. */
  #numbers: Map<T, number> | undefined;
  #last = 0;
  /** The items that not everybody may see. */
  #restricted: Set<T> | undefined;
  readonly #isRestricted: ((item: T) => boolean) | undefined;

  /** `isRestricted` tells which items not everybody may see. The result must not change while the item is in the set. */
  constructor(isRestricted?: (item: T) => boolean) {
    this.#isRestricted = isRestricted;
  }

  get size(): number {
    return this.#numbers?.size ?? 0;
  }

  has(item: T): boolean {
    return this.#numbers?.has(item) ?? false;
  }

  /** Adds an item. Returns false if the item is already in the set. */
  add(item: T): boolean {
    this.#numbers ??= new Map();
    if (this.#numbers.has(item)) return false;
    this.#numbers.set(item, ++this.#last);
    if (this.#isRestricted?.(item)) {
      this.#restricted ??= new Set();
      this.#restricted.add(item);
    }
    return true;
  }

  delete(item: T): boolean {
    this.#restricted?.delete(item);
    return this.#numbers?.delete(item) ?? false;
  }

  /** Iterates over the items, oldest first. */
  [Symbol.iterator](): Iterator<T> {
    return (this.#numbers ?? new Map<T, number>()).keys();
  }

  /** Yields items newest first, starting below the insertion number `before`. */
  *newestFirst(before = Number.POSITIVE_INFINITY): Generator<readonly [item: T, number: number]> {
    for (const item of [...this].reverse()) {
      const number = this.#numbers?.get(item);
      if (number !== undefined && number < before) yield [item, number];
    }
  }

  /** Returns the number of items that `isShown` accepts. Only restricted items are asked about, unless `all` is true. */
  countShown(isShown: (item: T) => boolean, all = false): number {
    let count = this.size;
    for (const item of all ? this : (this.#restricted ?? [])) if (!isShown(item)) count--;
    return count;
  }
}
