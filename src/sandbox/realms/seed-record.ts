import { createCipheriv } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ed25519, ristretto255_hasher } from '@noble/curves/ed25519.js';
import { blake2s } from '@noble/hashes/blake2.js';
import { Fn, Point, type Random, sha512, wideScalar } from './oprf.ts';
import type { RealmRecord } from './record.ts';

/** Juicebox's settings of Argon2id. `FastInsecure` is for tests. */
const pinHashings = {
  Standard2019: { memorySize: 16 * 1024, iterations: 32, parallelism: 1 },
  FastInsecure: { memorySize: 8, iterations: 1, parallelism: 1 },
} as const;
export type PinHashing = keyof typeof pinHashings;

/** The number of realms that a recovery needs. */
export const recoverThreshold = 2;

interface NewRecords {
  readonly pin: string;
  readonly secret: Uint8Array;
  /** The ids of the realms, sorted. The position of an id is the number of its share. */
  readonly realmIds: readonly Uint8Array[];
  readonly hashing: PinHashing;
}

/**
 * Creates the records of a registration, one for each realm, as Juicebox's client does
 * (https://eprint.iacr.org/2025/348). All randomness comes from `random`, so that the seed of the sandbox always gives
 * the same records.
 */
export async function makeRecords(registration: NewRecords, random: Random): Promise<RealmRecord[]> {
  const { pin, secret, realmIds, hashing } = registration;
  const version = random(16);
  const hashed = await hashPin(pin, framed(version, Buffer.alloc(0)), hashing);
  const [access, seed] = [hashed.subarray(0, 32), hashed.subarray(32)];

  const oprfKey = wideScalar(random(64));
  const oprfShares = split(oprfKey, realmIds.length, random);
  // The one-way map of RFC 9496, section 4.3.4, of SHA-512.
  const input = ristretto255_hasher.deriveToCurve?.(sha512(access)) ?? Point.ZERO;
  const evaluated = sha512('Juicebox_OPRF_2023_1;', access, input.multiply(oprfKey).toBytes());
  const unlock = sha512(evaluated);
  const [unlock_key_commitment, unlockKey] = [unlock.subarray(0, 32), unlock.subarray(32)];

  const scalar = wideScalar(random(64));
  const scalarShares = split(scalar, realmIds.length, random);
  const encryptionKey = mac(seed, 32, 'User Secret Encryption Key', Fn.toBytes(scalar));
  const encrypted_secret = encrypt(encryptionKey, secret);

  const signingKey = random(32);
  const verifying_key = ed25519.getPublicKey(signingKey);
  return realmIds.map((id, index) => {
    const share = oprfShares[index] ?? 0n;
    const public_key = Point.BASE.multiply(share).toBytes();
    const encryption_key_scalar_share = Fn.toBytes(scalarShares[index] ?? 0n);
    return {
      version,
      oprf_private_key: Fn.toBytes(share),
      public_key,
      verifying_key,
      signature: ed25519.sign(Buffer.concat([sized(id, 2), sized(public_key, 2)]), signingKey),
      unlock_key_commitment,
      unlock_key_tag: mac(unlockKey, 16, 'Unlock Key Tag', id),
      encryption_key_scalar_share,
      encrypted_secret,
      encrypted_secret_commitment: mac(
        unlockKey,
        16,
        'Encrypted User Secret Commitment',
        id,
        encryption_key_scalar_share,
        encrypted_secret,
      ),
    };
  });
}

/** Splits a secret by Shamir's secret sharing, with a polynomial of degree 1, because two realms are needed. */
function split(secret: bigint, count: number, random: Random): bigint[] {
  const slope = wideScalar(random(64));
  return Array.from({ length: count }, (_, index) => Fn.add(secret, Fn.mul(slope, BigInt(index + 1))));
}

/** ChaCha20-Poly1305 with a nonce of 0, because the key encrypts nothing else. */
function encrypt(key: Uint8Array, secret: Uint8Array): Buffer {
  const padded = Buffer.alloc(129);
  padded[0] = secret.length;
  padded.set(secret, 1);
  const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
  return Buffer.concat([cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
}

/** Keyed BLAKE2s, which Node lacks. */
function mac(key: Uint8Array, dkLen: number, ...parts: (string | Uint8Array)[]): Uint8Array {
  return blake2s(framed(...parts.map((part) => Buffer.from(part))), { key, dkLen });
}

function framed(...parts: Uint8Array[]): Buffer {
  return Buffer.concat(parts.map((part) => sized(part, 4)));
}

/** Puts the length before the bytes, big endian. */
function sized(bytes: Uint8Array, lengthBytes: number): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(bytes.length, 0, lengthBytes);
  return Buffer.concat([length, bytes]);
}

/**
 * A string, because a file would be TypeScript in tests and JavaScript after the build, and Node 20 runs only
 * JavaScript.
 */
const program = `
const { parentPort, workerData: { library, options } } = require('node:worker_threads');
require(library).argon2id(options).then((hash) => parentPort.postMessage(hash));`;

/** Hashes a PIN in a thread of its own, because `Standard2019` takes half a second. */
function hashPin(password: string, salt: Uint8Array, hashing: PinHashing): Promise<Uint8Array> {
  const options = { ...pinHashings[hashing], password, salt, hashLength: 64, outputType: 'binary' as const };
  if (hashing === 'FastInsecure') return import('hash-wasm').then(({ argon2id }) => argon2id(options));
  const library = createRequire(import.meta.url).resolve('hash-wasm');
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { eval: true, workerData: { library, options }, env: {}, execArgv: [] });
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that hashes PINs ended')));
  });
}
