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

/** The credentials of one call: platform session, owner of the keys, and encryption code if given. */
export interface MessagingCall {
  session: PlatformSession;
  who: KeyOwner;
  /** Without a code (`null`) no message can be decrypted. */
  code: Secret | null;
}

/** The end-to-end encrypted messages of the accounts that callers act as. Keys are kept in memory only. */
export class DirectMessages {
  readonly #parts: DirectMessagesParts;
  /** The public keys found with each set of recovered keys. They are dropped with it. */
  readonly #known = new WeakMap<RecoveredKeys, KnownConversations>();

  constructor(parts: DirectMessagesParts) {
    this.#parts = parts;
  }

  /** Creates a session for one call. */
  session(call: MessagingCall): MessagingSession {
    return new MessagingSession({ ...this.#parts, ...call, knownOf: (keys) => this.knownOf(keys) });
  }

  /** Returns the account that the code belongs to. The caller wipes its keys after use. Throws like `ChatKeyService.recover`. */
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
