import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { RandomBytes } from './p256.ts';

/** The nonce length of XSalsa20 (NaCl, `crypto_secretbox`), long enough for random nonces. */
const nonceLength = 24;
const tagLength = 16;

/**
 * Encrypts with NaCl's secretbox and a random nonce. Returns `nonce ‖ tag ‖ ciphertext`, like the official SDK (0.4.3).
 */
export function sealBox(plain: Uint8Array, key: Uint8Array, randomBytes: RandomBytes): Uint8Array {
  const nonce = Uint8Array.from(randomBytes(nonceLength));
  return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
}

/** Decrypts. Returns undefined if the key is wrong or the bytes were changed. */
export function openBox(sealed: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (sealed.length < nonceLength + tagLength) return undefined;
  try {
    return xsalsa20poly1305(key, sealed.subarray(0, nonceLength)).decrypt(sealed.subarray(nonceLength));
  } catch {
    return undefined;
  }
}
