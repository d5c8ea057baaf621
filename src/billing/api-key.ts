import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62Alphabet } from '../shared/secrets/base62.ts';
import { Secret } from '../shared/secrets/secret.ts';

/*
 * An API key is `pstn_`, 32 random base62 characters (190 bits), and their CRC-32 in 6 more characters. People and secret
 * scanners recognise the prefix. A mistyped key is refused by the checksum, without a look-up. A plain SHA-256 is enough to
 * store, because 190 random bits cannot be guessed.
 */
const keyPattern = /^pstn_[0-9A-Za-z]{38}$/;
const randomLength = 32;
const checksumLength = 6;
const prefixLength = 'pstn_'.length + 6;

/** The number of random bytes for one key. It is so high that the bias of reducing them modulo 62 is negligible. */
export const apiKeyEntropyBytes = 40;

/** Creates a key from random bytes. The same bytes always give the same key. */
export function makeApiKey(entropy: Uint8Array): Secret {
  if (entropy.length < apiKeyEntropyBytes) throw new RangeError(`an API key needs ${apiKeyEntropyBytes} random bytes`);
  const body = `pstn_${base62(entropy, randomLength)}`;
  return new Secret(body + checksum(body));
}

/** Returns true if the text has the form and the checksum of a key. It may be a key that was never created. */
export function looksLikeApiKey(text: string): boolean {
  return keyPattern.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

export function hashApiKey(key: Secret): string {
  return hash('sha256', key.expose(), 'hex');
}

/** Returns the beginning of a key, which lets people distinguish keys. */
export function apiKeyPrefix(key: Secret): string {
  return key.expose().slice(0, prefixLength);
}

/** Computes the checksum. It runs for every request, so it avoids the bigint arithmetic of `base62`. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / 62)) {
    digits = base62Alphabet.charAt(rest % 62) + digits;
  }
  return digits;
}
