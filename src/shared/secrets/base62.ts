export const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns the last `length` base62 digits of the number that the bytes encode. With eight bytes more than the digits contain, the bias is
 * negligible.
 */
export function base62(bytes: Uint8Array, length: number): string {
  let digits = '';
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  for (; digits.length < length; rest /= 62n) digits = base62Alphabet.charAt(Number(rest % 62n)) + digits;
  return digits;
}
