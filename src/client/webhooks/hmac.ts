import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Hmac, TextOrBytes } from './signature.ts';

/** The HMAC of the kit. It is synchronous, unlike WebCrypto, and uses no modules of a runtime. */
export const webHmac: Hmac = (key, ...parts) => {
  const mac = hmac.create(sha256, bytesOf(requireSecret(key)));
  for (const part of parts) mac.update(bytesOf(part));
  return btoa(String.fromCharCode(...mac.digest()));
};

/**
 * Returns the secret. Throws if it is missing, empty or not a string, because an unset variable such as
 * `process.env.SECRET` would otherwise be used as an empty key.
 */
function requireSecret<T extends TextOrBytes>(secret: T | undefined): T {
  if ((typeof secret === 'string' || secret instanceof Uint8Array) && secret.length > 0) return secret;
  throw new TypeError('The secret is missing or empty, or not a string');
}

/** Returns the secrets as a list. Throws like `requireSecret`. */
export function requireSecrets(secret: string | readonly string[]): readonly [string, ...string[]] {
  const [newest, ...older] = [secret].flat();
  return [requireSecret(newest), ...older.map(requireSecret)];
}

function bytesOf(data: TextOrBytes): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
