/** How many bytes the private scalars of an account's chat keys have. */
export const privateKeyBytes = 64;

/**
 * The private chat keys of one account while they are known. Everything in it is wiped when it is forgotten, so take what
 * you need when you need it, and keep no reference across a wait.
 */
export class RecoveredKeys {
  /** The platform account that they belong to. */
  readonly userId: string;
  /** Of the enrolment that they came from. */
  readonly version: string;
  readonly #privateKeys: Uint8Array;
  readonly #kept = new Map<string, Uint8Array>();
  #wiped = false;

  constructor(userId: string, version: string, privateKeys: Uint8Array) {
    this.userId = userId;
    this.version = version;
    this.#privateKeys = privateKeys;
  }

  /** The raw private scalars: a copy, which the caller wipes (`fill(0)`) after use. Throws once they are forgotten. */
  privateKeys(): Uint8Array {
    if (this.#wiped) throw new Error('These chat keys were forgotten');
    return copyOf(this.#privateKeys);
  }

  /** Keeps a copy of a secret that these keys opened, such as a conversation's key, as long as they are known themselves. */
  keep(name: string, secret: Uint8Array): void {
    if (this.#wiped) return;
    this.#kept.get(name)?.fill(0);
    this.#kept.set(name, copyOf(secret));
  }

  /** A copy of what was kept. */
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
    for (const secret of this.#kept.values()) secret.fill(0);
    this.#kept.clear();
  }
}

/** `slice` of a Buffer would be the same memory, and go with it when it is wiped. */
function copyOf(secret: Uint8Array): Uint8Array {
  return Uint8Array.from(secret);
}
