import type { PlatformSignIn } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { Secret } from '../shared/secrets/secret.ts';
import { revocationTtlMs, type StoredConnection } from '../store/port.ts';
import { type ConnectionRecords, isHeld } from './records.ts';

const lookMs = 5_000;
const atOnce = 20;
/** The shortest pause after a failure. Later pauses are as long as the time since the deletion. */
const leastPauseMs = 30_000;

export interface RevocationsParts {
  records: ConnectionRecords;
  runtime: Runtime;
  signIn: () => PlatformSignIn | undefined;
  /** Called after a failure of the store. The next look repeats the work. */
  onError: (error: unknown) => void;
  /** Called if the platform did not confirm the revocation in time. The login may still be valid there. */
  onGivenUp: (id: string) => void;
}

/** Revokes the logins of deleted connections at the platform. Any number of processes may do this at once. */
export class Revocations {
  readonly #parts: RevocationsParts;
  readonly #looking: Timer;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: RevocationsParts) {
    this.#parts = parts;
    this.#looking = repeat(parts.runtime, lookMs, () => this.runSoon());
  }

  /** Starts a run now, or after the current one. */
  readonly runSoon = (): Promise<void> => {
    this.#running = this.#running.then(() => this.#revokeDue()).catch(this.#parts.onError);
    return this.#running;
  };

  async close(): Promise<void> {
    this.#looking.cancel();
    await this.#running;
  }

  async #revokeDue(): Promise<void> {
    const due = await this.#parts.records.store.toRevoke(atOnce);
    await Promise.all(due.map((record) => this.#revoke(record)));
  }

  async #revoke(record: StoredConnection): Promise<void> {
    const { records } = this.#parts;
    const signIn = this.#parts.signIn();
    const now = records.now();
    const { goneAt } = record;
    // A refresh that runs stores its new tokens, which must be revoked instead.
    if (isHeld(record, now)) return;
    // The login cannot be opened after its secret key was dropped.
    const login = records.logins.open(record);
    const token = login?.refresh ?? login?.access ?? null;
    if (token === null || goneAt === null || (!signIn && !login?.refresh)) return records.store.remove(record.id);
    if (goneAt <= now) {
      this.#parts.onGivenUp(record.id);
      return records.store.remove(record.id);
    }
    const pauseMs = Math.max(leastPauseMs, now - (goneAt - revocationTtlMs));
    const claimed = await records.store.replace({ ...record, revokeAt: Math.min(goneAt, now + pauseMs) });
    // A gateway with the app of the login may revoke it.
    if (!claimed || !signIn || login?.issuer !== records.issuer) return;
    try {
      await signIn.revoke(new Secret(token));
    } catch (error) {
      // The platform does not know the token any more.
      if (!(error instanceof PosternError && error.reason === 'auth_token_rejected')) return;
    }
    await records.store.remove(record.id);
  }
}
