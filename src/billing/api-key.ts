import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Secret } from '../shared/secrets/secret.ts';

/*
 * An API key: `pstn_`, 32 random base62 characters (190 bits), and the CRC-32 of all that in 6 more. The beginning
 * tells people (and secret scanners) what it is; the checksum lets a mistyped key be refused without a look-up. With
 * that much chance in it, a plain SHA-256 is enough to store: there is nothing to guess.
 */
const keyPattern = /^pstn_[0-9A-Za-z]{38}$/;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;
const prefixLength = 'pstn_'.length + 6;

/** How many random bytes `makeApiKey` needs: enough that taking them modulo 62 leaves no bias worth a name. */
export const apiKeyEntropyBytes = 40;

/** Makes a key out of random bytes; the same bytes make the same key. */
export function makeApiKey(entropy: Uint8Array): Secret {
  if (entropy.length < apiKeyEntropyBytes) throw new RangeError(`an API key needs ${apiKeyEntropyBytes} random bytes`);
  const body = `pstn_${base62(BigInt(`0x${Buffer.from(entropy).toString('hex')}`), randomLength)}`;
  return new Secret(body + checksum(body));
}

/** True where the text has the form and the checksum of a key; says nothing of whether it exists. */
export function looksLikeApiKey(text: string): boolean {
  return keyPattern.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

export function hashApiKey(key: Secret): string {
  return hash('sha256', key.expose(), 'hex');
}

/** The readable beginning by which people tell keys apart. */
export function apiKeyPrefix(key: Secret): string {
  return key.expose().slice(0, prefixLength);
}

/** Asked for every request, so without the bigint arithmetic of `base62`: 32 bits fit a number. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / 62)) {
    digits = alphabet.charAt(rest % 62) + digits;
  }
  return digits;
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits;
}
