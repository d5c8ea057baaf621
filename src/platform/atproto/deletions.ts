import { createHash } from 'node:crypto';
import type { Vault } from '../../shared/secrets/vault.ts';
import type { PlatformState } from '../port.ts';

/** The time for which a request with the same idempotency key counts as a repeated one. */
const storedMs = 24 * 60 * 60 * 1_000;

/**
 * Remembers the deletions that were begun. If the response to a deletion is lost, the deletion is repeated and finds
 * no record. The note shows that the record existed.
 */
export class Deletions {
  readonly #state: PlatformState;
  readonly #vault: Vault;

  constructor(state: PlatformState, vault: Vault) {
    this.#state = state;
    this.#vault = vault;
  }

  /** Notes a deletion. `token` is its idempotency token. */
  async note(token: string): Promise<void> {
    const name = nameOf(token);
    await this.#state.write(name, this.#vault.seal('', name), null, storedMs);
  }

  async isNoted(token: string): Promise<boolean> {
    return (await this.#state.read(nameOf(token))) !== null;
  }
}

function nameOf(token: string): string {
  return `deletion ${createHash('sha256').update(token).digest('base64url')}`;
}
