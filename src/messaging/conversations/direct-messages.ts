import type { PlatformSession } from '../../platform/port.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import type { ChatKeyService, KeyOwner } from '../key-recovery/chat-key-service.ts';
import type { RecoveredKeys } from '../key-recovery/recovered-keys.ts';
import { Actor } from './actor.ts';
import { KnownConversations } from './known-conversations.ts';
import { MessagingSession } from './messaging-session.ts';

export interface DirectMessagesParts {
  chatKeys: ChatKeyService;
  runtime: Runtime;
}

/** The platform session, key owner and encryption code of one call. */
export interface MessagingCall {
  session: PlatformSession;
  who: KeyOwner;
  /** The encryption code. Without it (`null`) no message can be decrypted. */
  code: Secret | null;
}

/** Provides end-to-end encrypted messaging for platform users. Their private keys are kept in memory only. */
export class DirectMessages {
  readonly #parts: DirectMessagesParts;
  /** The checked public keys that belong to each set of recovered private keys. Both are garbage-collected together. */
  readonly #known = new WeakMap<RecoveredKeys, KnownConversations>();

  constructor(parts: DirectMessagesParts) {
    this.#parts = parts;
  }

  /** Creates a session for one call. */
  session(call: MessagingCall): MessagingSession {
    return new MessagingSession({ knownOf: (keys) => this.knownOf(keys), ...this.#parts, ...call });
  }

  /**
   * Returns the account that the encryption code unlocks. The caller wipes the keys after use. Throws the errors of
   * `ChatKeyService.recover`.
   */
  async actor({ session, who }: MessagingCall, code: Secret): Promise<Actor> {
    const recovered = await this.#parts.chatKeys.recover(session, who, code);
    return Actor.of(recovered, session.messages, this.knownOf(recovered), this.#parts.runtime.now());
  }

  now(): number {
    return this.#parts.runtime.now();
  }

  knownOf(keys: RecoveredKeys): KnownConversations {
    let known = this.#known.get(keys);
    if (known === undefined) {
      known = new KnownConversations();
      this.#known.set(keys, known);
    }
    return known;
  }
}
