import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Hmac, TextOrBytes } from './signature.ts';

/** Synchronous, unlike WebCrypto, and without the modules of any runtime. */
export const webHmac: Hmac = (key, ...parts) => {
  const mac = hmac.create(sha256, bytesOf(requireSecret(key)));
  for (const part of parts) mac.update(bytesOf(part));
  return btoa(String.fromCharCode(...mac.digest()));
};

/** Without this check, a secret that is not set (`process.env.SECRET`) would be an empty key, which everybody knows. */
export function requireSecret<T extends TextOrBytes>(secret: T | undefined): T {
  if (secret === undefined || secret.length === 0) throw new TypeError('The secret is missing or empty');
  return secret;
}

function bytesOf(data: TextOrBytes): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
