/**
 * Returns the reason why a key of 32 bytes is easy to guess, or `null` if it is not. The probability that a random key is refused is below
 * 1e-12.
 */
export function weaknessOf(key: Buffer): string | null {
  const distinct = new Set(key).size;
  if (distinct === 1) return 'all of its bytes are equal';
  for (let period = 2; period <= key.length / 2; period++) {
    if (key.subarray(period).equals(key.subarray(0, -period))) return `it repeats ${period} bytes`;
  }
  const steps = new Set(Array.from(key.subarray(1), (byte, i) => (byte - (key[i] ?? 0) + 256) % 256));
  if (steps.size === 1) return 'its bytes are a sequence';
  if (distinct <= 8) return `it has only ${distinct} different bytes`;
  if (key.every((byte) => byte >= 0x20 && byte <= 0x7e))
    return 'it is text, such as a password, instead of random bytes';
  const last = key.at(-1);
  let padding = 1;
  while (key.at(-1 - padding) === last) padding++;
  return padding >= 8 ? `it is padded: its last ${padding} bytes are equal` : null;
}
