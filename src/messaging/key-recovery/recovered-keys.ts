import { LRUCache } from 'lru-cache';
import { upTo } from '../../shared/runtime/lru.ts';

/** The limit of cached secrets per account, because a conversation can have any number of keys. */
const maxSecrets = 10_000;

/**
 * The private chat keys of one account, and secrets decrypted with them. `wipe` overwrites all of them, so callers must
 * not keep a reference across an `await`.
 */
export class RecoveredKeys {
  /** The platform account that the keys belong to. */
  readonly userId: string;
  readonly #privateKeys: Uint8Array;
  readonly #kept = new LRUCache<string, Uint8Array>({
    ...upTo(maxSecrets),
    dispose: (secret) => secret.fill(0),
  });
  #wiped = false;

  constructor(userId: string, privateKeys: Uint8Array) {
    this.userId = userId;
    this.#privateKeys = privateKeys;
  }

  /**
   * Returns a copy of the private scalars. The caller overwrites the copy after use (`fill(0)`). Throws after `wipe`.
   */
  privateKeys(): Uint8Array {
    if (this.#wiped) throw new Error('These chat keys were forgotten');
    return copyOf(this.#privateKeys);
  }

  /** Stores a copy of a secret that was decrypted with these keys, such as a conversation key. `wipe` removes it. */
  keep(name: string, secret: Uint8Array): void {
    if (this.#wiped) return;
    this.#kept.set(name, copyOf(secret));
  }

  /** Returns a copy of a stored secret, or undefined if it is no longer stored. */
  kept(name: string): Uint8Array | undefined {
    const secret = this.#kept.get(name);
    return secret && copyOf(secret);
  }

  /** The number of stored secrets. */
  get secrets(): number {
    return this.#kept.size;
  }

  /** Wipes the stored secrets only. They can be decrypted again with the private keys. */
  wipeSecrets(): void {
    this.#kept.clear();
  }

  get forgotten(): boolean {
    return this.#wiped;
  }

  wipe(): void {
    this.#wiped = true;
    this.#privateKeys.fill(0);
    this.wipeSecrets();
  }
}

/** `slice` of a Buffer would share its memory, so that wiping one would wipe the other. */
function copyOf(secret: Uint8Array): Uint8Array {
  return Uint8Array.from(secret);
}
