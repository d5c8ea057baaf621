import { createHash } from 'node:crypto';
import { weakness } from '../../messaging/encryption/recovery/weak-code.ts';

/** Everything that stands for an identity derives from the seed and a label alone, never from time. */
function digest(seed: string, label: string): Buffer {
  return createHash('sha256').update(`${seed}\u0000${label}`).digest();
}

/** 40 hex characters, as the platform's cookie has. */
export function tokenFor(seed: string, label: string): string {
  return digest(seed, `token:${label}`).toString('hex').slice(0, 40);
}

/** Ten digits for those of the seed's dataset. `taken` tells which ids are in use. */
export function userIdFor(seed: string, label: string, taken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const id = String(1_000_000_000 + (digest(seed, `user:${label}:${attempt}`).readUInt32BE(0) % 900_000_000));
    if (!taken(id)) return id;
  }
}

/** Nineteen digits for accounts minted later, so that they never meet those of the seed. */
export function mintedIdFor(seed: string, label: string): string {
  return String(1_500_000_000_000_000_000n + (digest(seed, `minted:${label}`).readBigUInt64BE(0) >> 5n));
}

export function listIdFor(seed: string, label: string): string {
  return String(1_200_000_000_000_000_000n + (digest(seed, `list:${label}`).readBigUInt64BE(0) >> 6n));
}

/** A PIN of six digits that nobody would guess first. */
export function encryptionCodeFor(seed: string, label: string): string {
  for (let attempt = 0; ; attempt++) {
    const number = digest(seed, `code:${label}:${attempt}`).readUInt32BE(0) % 1_000_000;
    const code = String(number).padStart(6, '0');
    if (weakness(code) === null) return code;
  }
}

/**
 * The private chat keys of those who have some from the start: two scalars of P-256, neither 0 nor beyond the group's order
 * (SEC 2, section 2.4.2).
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
