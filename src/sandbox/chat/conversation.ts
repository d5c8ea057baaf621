import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';

export const eventKinds = ['message', 'edit', 'reaction_added', 'reaction_removed', 'deletion'] as const;
export type EventKind = (typeof eventKinds)[number];

/** Content that a client encrypted and signed, in base64. The platform stores the content but cannot decrypt it. */
export interface Sealed {
  /** The message id that the client chose. The signature covers this id. */
  readonly messageId: string;
  readonly detail: string;
  readonly signature: string;
}

export interface ConversationEvent {
  /** The sequence id that the platform assigned. Sequence ids order the events of all conversations. */
  readonly seqId: string;
  readonly kind: EventKind;
  readonly sender: User;
  readonly at: number;
  /** The sequence id of the message that this event edits, reacts to or deletes. Null for a message. */
  readonly target: string | null;
  /** For a deletion: true if the message is deleted for both participants, false if only for its sender. */
  readonly forAll: boolean;
  /** Returns the encrypted content. A function, because messages of the seed are encrypted when they are first read. */
  readonly sealed: () => Sealed;
}

/**
 * An event that introduces a new conversation key. The encrypted content holds the key, wrapped for each participant.
 */
export interface ConversationKeyChange {
  readonly seqId: string;
  readonly sender: User;
  readonly at: number;
  readonly version: string;
  readonly sealed: () => Sealed;
}

export interface Message {
  readonly event: ConversationEvent;
  /** Edits and reactions of the message, oldest first. After a deletion for both participants: only the deletion. */
  readonly relatedEvents: ConversationEvent[];
  deletedForAll: boolean;
  /** The participants who deleted the message for themselves only. */
  readonly deletedFor: Set<User>;
}

/**
 * The messages and key changes between two users. The class stores events and checks no permissions. The operations
 * decide who may write.
 */
export class Conversation {
  readonly id: string;
  readonly members: readonly [User, User];
  readonly keyChanges: ConversationKeyChange[] = [];
  /** The messages, ordered by sequence id. */
  readonly messages: Message[] = [];
  /**
   * The participants who agreed to the conversation: those who wrote in it, and those who follow the other participant.
   */
  readonly accepted = new Set<User>();
  readonly mutedBy = new Set<User>();
  readonly #bySeqId = new Map<string, Message>();
  readonly #sent = new Map<string, string>();
  readonly #events = new Map<string, ConversationEvent>();

  constructor(id: string, members: readonly [User, User]) {
    this.id = id;
    this.members = members;
  }

  has(user: User): boolean {
    return this.members.includes(user);
  }

  other(user: User): User {
    return this.members[0] === user ? this.members[1] : this.members[0];
  }

  get keyVersion(): string | null {
    return this.keyChanges.at(-1)?.version ?? null;
  }

  findMessage(seqId: string): Message | undefined {
    return this.#bySeqId.get(seqId);
  }

  /** Returns the sequence id of the event that this sender already sent with this message id, if there is one. */
  sentSeqId(sender: User, messageId: string): string | undefined {
    return this.#sent.get(`${sender.id} ${messageId}`);
  }

  /** Records that an API call created this event under this message id. */
  recordSent(messageId: string, { sender, seqId }: ConversationEvent | ConversationKeyChange): void {
    this.#sent.set(`${sender.id} ${messageId}`, seqId);
  }

  /** Returns an event of any kind. */
  findEvent(seqId: string): ConversationEvent | undefined {
    return this.#events.get(seqId);
  }

  addKeyChange(change: ConversationKeyChange): void {
    this.keyChanges.push(change);
    this.accepted.add(change.sender);
  }

  addEvent(event: ConversationEvent): void {
    this.#events.set(event.seqId, event);
    if (event.kind === 'message') {
      const message = { event, relatedEvents: [], deletedForAll: false, deletedFor: new Set<User>() };
      this.messages.push(message);
      this.#bySeqId.set(event.seqId, message);
      this.accepted.add(event.sender);
      return;
    }
    const message = event.target === null ? undefined : this.#bySeqId.get(event.target);
    if (message === undefined) return;
    if (event.kind !== 'deletion') message.relatedEvents.push(event);
    else if (event.forAll) {
      // A deletion for both participants removes the edits and reactions too. Only the signed deletion remains.
      message.deletedForAll = true;
      message.relatedEvents.splice(0, message.relatedEvents.length, event);
    } else message.deletedFor.add(event.sender);
  }

  /** Returns the last message whose sequence id is not above `seqId`. */
  lastUpTo(seqId: string): Message | undefined {
    for (let at = this.messages.length - 1; at >= 0; at--) {
      const message = this.messages[at];
      if (message !== undefined && compareIds(message.event.seqId, seqId) <= 0) return message;
    }
    return undefined;
  }
}
