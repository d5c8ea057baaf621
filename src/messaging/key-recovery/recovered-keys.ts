import { LRUCache } from 'lru-cache';

/** The length of the private scalars of an account's chat keys. */
export const privateKeyBytes = 64;

/** A conversation may have any number of key changes, so the secrets of an account are limited. */
const mostSecrets = 10_000;

/**
 * The private chat keys of one account, and the secrets that they opened, while they are in memory. All of them are wiped
 * when the keys are forgotten, so callers read them when they need them and keep no reference across an `await`.
 */
export class RecoveredKeys {
  /** The platform account that the keys belong to. */
  readonly userId: string;
  /** The version of the enrolment that the keys came from. */
  readonly version: string;
  readonly #privateKeys: Uint8Array;
  /** `maxSize` instead of `max`, because `max` would allocate the lists for all secrets at once. */
  readonly #kept = new LRUCache<string, Uint8Array>({
    maxSize: mostSecrets,
    sizeCalculation: () => 1,
    dispose: (secret) => secret.fill(0),
  });
  #wiped = false;

  constructor(userId: string, version: string, privateKeys: Uint8Array) {
    this.userId = userId;
    this.version = version;
    this.#privateKeys = privateKeys;
  }

  /** Returns a copy of the raw private scalars, which the caller wipes (`fill(0)`) after use. Throws after `wipe`. */
  privateKeys(): Uint8Array {
    if (this.#wiped) throw new Error('These chat keys were forgotten');
    return copyOf(this.#privateKeys);
  }

  /** Keeps a copy of a secret that these keys opened, such as the key of a conversation, until `wipe` at the latest. */
  keep(name: string, secret: Uint8Array): void {
    if (this.#wiped) return;
    this.#kept.set(name, copyOf(secret));
  }

  /** Returns a copy of the secret, if it is still kept. */
  kept(name: string): Uint8Array | undefined {
    const secret = this.#kept.get(name);
    return secret && copyOf(secret);
  }

  get forgotten(): boolean {
    return this.#wiped;
  }

  wipe(): void {
    this.#wiped = true;
    this.#privateKeys.fill(0);
    this.#kept.clear();
  }
}

/** `slice` of a Buffer would share its memory and be wiped with it. */
function copyOf(secret: Uint8Array): Uint8Array {
  return Uint8Array.from(secret);
}
