import type { PlatformCall, PlatformIdentifiers } from '../port.ts';

const maxKept = 100_000;

/**
 * What X never tells, such as the post of an article, in the store that all processes share. The sandbox tells it and needs no store.
 * Responses through a caller's proxy may be forged, so they count for the account of that caller only.
 */
export class Notes {
  readonly #stored: PlatformIdentifiers | null;
  readonly #kind: string;
  readonly #keptMs: number;

  constructor(stored: PlatformIdentifiers | null, kind: string, keptMs: number) {
    this.#stored = stored;
    this.#kind = kind;
    this.#keptMs = keptMs;
  }

  /** Remembers a performed write. If the store fails, the write has succeeded nevertheless. */
  async save(id: string, identifier: string, { proxy, account }: PlatformCall): Promise<void> {
    const hash = proxy ? this.#keyOf(id, account) : this.#keyOf(id);
    await this.#stored?.save([{ hash, identifier }], this.#keptMs, maxKept).catch(() => undefined);
  }

  async find(id: string, { account }: PlatformCall): Promise<string | null> {
    if (this.#stored === null) return null;
    return (await this.#stored.find(this.#keyOf(id))) ?? (await this.#stored.find(this.#keyOf(id, account)));
  }

  #keyOf(id: string, account = ''): string {
    return `x ${this.#kind} ${id} ${account}`;
  }
}
