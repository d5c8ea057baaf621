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

/** As whom, and on which way. */
export interface MessagingCall {
  session: PlatformSession;
  who: KeyOwner;
  /** `null`: nothing can be opened. */
  code: Secret | null;
}

/** End-to-end encrypted messages of the accounts that callers act as. Keys are here, and in memory alone. */
export class DirectMessages {
  readonly #parts: DirectMessagesParts;
  /** What is public goes when the keys that it was found with go. */
  readonly #known = new WeakMap<RecoveredKeys, KnownConversations>();

  constructor(parts: DirectMessagesParts) {
    this.#parts = parts;
  }

  /** For one call. */
  session(call: MessagingCall): MessagingSession {
    return new MessagingSession({ ...this.#parts, ...call, knownOf: (keys) => this.knownOf(keys) });
  }

  /** Whoever the code is of, with keys to be wiped after use. Throws as `ChatKeys.recover` does. */
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
