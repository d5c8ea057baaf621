import type { PlatformSession } from '../platform/port.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Secret } from '../secrets/secret.ts';
import type { RecoveredKeys } from './recovered-keys.ts';

/** On whose behalf keys are asked for: what one API account recovered, no other finds. */
export interface KeyHolder {
  /** The id of the API account that calls. */
  readonly account: string;
  readonly authToken: Secret;
}

/** A session as far as keys are concerned. */
export type KeySession = Pick<PlatformSession, 'realms'>;

export interface ChatKeysParts {
  readonly runtime: Runtime;
}

/** The chat keys of the accounts that callers act as: recovered by PIN from the platform's key realms, known for minutes. */
export class ChatKeys {
  constructor(_parts: ChatKeysParts) {}

  /**
   * The actor's private keys. Throws `forbidden` (a wrong code, with the guesses that remain), `locked` (none remain),
   * `conflict` (the account has no chat keys), `unavailable` (fewer than two realms answer) and `rate_limited` (too many
   * wrong codes).
   */
  recover(_session: KeySession, _who: KeyHolder, _code: Secret): Promise<RecoveredKeys> {
    throw new Error('to come');
  }

  /**
   * Registers private keys of 64 bytes for an account that has none, to be recovered with `code` from now on. Throws
   * `bad_input` for a weak code, `conflict` where the account has keys (where only its public ones are missing, recover and
   * register those), `unavailable` where fewer than two realms took them; then it may be repeated.
   */
  enroll(_session: KeySession, _who: KeyHolder, _code: Secret, _privateKeys: Uint8Array): Promise<RecoveredKeys> {
    throw new Error('to come');
  }

  /** Wipes all keys, and waits for what is under way. */
  close(): Promise<void> {
    throw new Error('to come');
  }
}
