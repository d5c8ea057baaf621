/**
 * Returns options for an `LRUCache` with up to `count` entries. The option `max` is not used, because it would allocate the memory of all
 * entries at once.
 */
export function upTo(count: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: count, sizeCalculation: () => 1 };
}
