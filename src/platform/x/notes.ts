import type { PlatformCall, PlatformIdentifiers } from '../port.ts';

const maxKept = 100_000;

/**
 * Stores facts that X's API cannot return, such as the post of an article, for each account. The sandbox returns them
 * and needs no store. Responses through a caller's proxy may be forged, so they are never public.
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

  /** Remembers a performed write, also for other accounts if `isPublic`. If the store fails, the write has succeeded nevertheless. */
  async save(id: string, identifier: string, { proxy, account }: PlatformCall, isPublic = false): Promise<void> {
    const accounts = isPublic && !proxy ? [account, ''] : [account];
    const notes = accounts.map((each) => ({ hash: this.#keyOf(id, each), identifier }));
    await this.#stored?.save(notes, this.#keptMs, maxKept).catch(() => undefined);
  }

  async findOwn(id: string, { account }: PlatformCall): Promise<string | null> {
    return (await this.#stored?.find(this.#keyOf(id, account))) ?? null;
  }

  async find(id: string, call: PlatformCall): Promise<string | null> {
    return (await this.#stored?.find(this.#keyOf(id, ''))) ?? this.findOwn(id, call);
  }

  #keyOf(id: string, account: string): string {
    return `x ${this.#kind} ${id} ${account}`;
  }
}
