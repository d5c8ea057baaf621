import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { RandomBytes } from './p256.ts';

/** XSalsa20's nonce (NaCl, `crypto_secretbox`): long enough to be drawn at random. */
const nonceLength = 24;
const tagLength = 16;

/** `nonce ‖ tag ‖ ciphertext`: NaCl's secretbox behind its nonce, as the official SDK (0.4.3) seals contents. */
export function sealBox(plain: Uint8Array, key: Uint8Array, randomBytes: RandomBytes): Uint8Array {
  const nonce = Uint8Array.from(randomBytes(nonceLength));
  return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
}

/** Undefined where it was sealed with another key, or altered. */
export function openBox(sealed: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (sealed.length < nonceLength + tagLength) return undefined;
  try {
    return xsalsa20poly1305(key, sealed.subarray(0, nonceLength)).decrypt(sealed.subarray(nonceLength));
  } catch {
    return undefined;
  }
}
