import { createHmac } from 'node:crypto';
import {
  type ChatKeys,
  ConversationKeys,
  importChatKeys,
  openEvent,
  Peers,
  type RandomBytes,
  type Reader,
  type RegisteredKeys,
  registrationOf,
  type Self,
  type SignedEvent,
} from '../../messaging/encryption/index.ts';
import type { User } from '../dataset/types.ts';
import { chatPrivateKeysFor } from '../seed/credentials.ts';
import type { PublicKeys } from './chats.ts';
import type { Conversation, ConversationEvent, Sealed } from './conversation.ts';
import { encodedEvent } from './render-chat.ts';

/**
 * Acts as the chat client of users whose chat keys derive from the seed: it encrypts, signs and decrypts their
 * messages. The private keys are derived on first use and kept in memory only. The simulated platform has no access to
 * them.
 */
export class SeedChatClients {
  readonly #seed: string;
  readonly #keys = new Map<string, ChatKeys>();
  readonly #registrations = new Map<string, PublicKeys>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  selfOf(user: User): Self {
    return { userId: user.id, publicKeyVersion: versionOf(user), keys: this.#keysOf(user) };
  }

  /** Returns the public keys that the user's client registered. */
  publicKeysOf(user: User): PublicKeys {
    let known = this.#registrations.get(user.id);
    if (known === undefined) {
      const made = registrationOf(this.#keysOf(user));
      known = {
        version: versionOf(user),
        identity: made.publicKey,
        signing: made.signingPublicKey,
        identitySignature: made.identityPublicKeySignature,
        signingSignature: made.signingPublicKeySignature,
      };
      this.#registrations.set(user.id, known);
    }
    return known;
  }

  /** Decrypts an event from the other participant. Returns undefined if the event cannot be decrypted. */
  open(conversation: Conversation, self: User, peers: Peers, event: ConversationEvent) {
    const result = openEvent(encodedEvent(conversation, event), this.reader(conversation, self, peers));
    return result.ok ? result.value : undefined;
  }

  /** Returns a reader that holds every conversation key that `self` can decrypt. */
  reader(conversation: Conversation, self: User, peers: Peers): Reader {
    const keys = new ConversationKeys();
    const reader = { self: this.selfOf(self), conversationId: conversation.id, peers, keys };
    for (const change of conversation.keyChanges) {
      const opened = openEvent(encodedEvent(conversation, change), reader);
      if (opened.ok && opened.value.kind === 'keyChange') keys.adopt(opened.value.key);
    }
    return reader;
  }

  #keysOf(user: User): ChatKeys {
    let keys = this.#keys.get(user.id);
    if (keys === undefined) {
      keys = importChatKeys(chatPrivateKeysFor(this.#seed, user.chatLabel ?? user.id));
      if (keys === undefined) throw new Error(`the chat keys of ${user.screenName} are none`);
      this.#keys.set(user.id, keys);
    }
    return keys;
  }
}

/**
 * Returns deterministic pseudo-random bytes: HMAC-SHA-256 over a counter. Every run with the same seed and label gives
 * the same bytes.
 */
export function seededBytes(seed: string, label: string): RandomBytes {
  let counter = 0;
  return (length) => {
    const blocks: Buffer[] = [];
    for (let made = 0; made < length; made += 32) {
      blocks.push(createHmac('sha256', seed).update(`${label} ${counter++}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
}

export function peersOf(users: readonly User[], publicKeysOf: (user: User) => readonly PublicKeys[]): Peers {
  return new Peers(
    users.flatMap((user) =>
      publicKeysOf(user).map(
        (keys): RegisteredKeys => ({
          userId: user.id,
          publicKeyVersion: keys.version,
          publicKey: keys.identity,
          signingPublicKey: keys.signing,
          identityPublicKeySignature: keys.identitySignature,
          signingPublicKeySignature: keys.signingSignature,
        }),
      ),
    ),
  );
}

export function sealedOf({ messageId, detail, signature }: SignedEvent): Sealed {
  return { messageId, detail, signature };
}

function versionOf({ createdAt }: User): string {
  return String(createdAt);
}
