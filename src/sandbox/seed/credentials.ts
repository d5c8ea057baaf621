import { createHash } from 'node:crypto';
import { weakness } from '../../messaging/encryption/weak-code.ts';

/** Hashes the seed and a label. All credentials and ids derive from this hash, so they do not depend on the time. */
function digest(seed: string, label: string): Buffer {
  return createHash('sha256').update(`${seed}\u0000${label}`).digest();
}

/** Returns a token of 40 hex characters. */
export function tokenFor(seed: string, label: string): string {
  return digest(seed, `token:${label}`).toString('hex').slice(0, 40);
}

/** Returns the token of the operator's app, which belongs to no user. */
export function appTokenFor(seed: string): string {
  return tokenFor(seed, 'app');
}

/** Returns a user id of ten digits for a user of the seed. `taken` tests whether an id is in use. */
export function userIdFor(seed: string, label: string, taken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const id = String(1_000_000_000 + (digest(seed, `user:${label}:${attempt}`).readUInt32BE(0) % 900_000_000));
    if (!taken(id)) return id;
  }
}

/** Returns an id of nineteen digits for a created account. Ids of the seed are shorter, so the two cannot be equal. */
export function mintedIdFor(seed: string, label: string): string {
  return String(1_500_000_000_000_000_000n + (digest(seed, `minted:${label}`).readBigUInt64BE(0) >> 5n));
}

export function listIdFor(seed: string, label: string): string {
  return String(1_200_000_000_000_000_000n + (digest(seed, `list:${label}`).readBigUInt64BE(0) >> 6n));
}

/** Returns an encryption code of six digits. Codes that are easy to guess are left out. */
export function encryptionCodeFor(seed: string, label: string): string {
  for (let attempt = 0; ; attempt++) {
    const number = digest(seed, `code:${label}:${attempt}`).readUInt32BE(0) % 1_000_000;
    const code = String(number).padStart(6, '0');
    if (weakness(code) === null) return code;
  }
}

/**
 * Returns the two private chat keys of a user of the seed: scalars of P-256 between 1 and the group order minus 1 (SEC
 * 2, section 2.4.2).
 */
export function chatPrivateKeysFor(seed: string, label: string): Buffer {
  return Buffer.concat([scalarFor(seed, `identity:${label}`), scalarFor(seed, `signing:${label}`)]);
}

const ORDER_OF_P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

function scalarFor(seed: string, label: string): Buffer {
  for (let attempt = 0; ; attempt++) {
    const bytes = digest(seed, `chat:${label}:${attempt}`);
    const number = BigInt(`0x${bytes.toString('hex')}`);
    if (number > 0n && number < ORDER_OF_P256) return bytes;
  }
}

export function cursorKeyFor(seed: string): Buffer {
  return digest(seed, 'cursor-key');
}
