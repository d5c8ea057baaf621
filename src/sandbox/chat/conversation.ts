import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';

export const eventKinds = ['message', 'edit', 'reaction_added', 'reaction_removed', 'deletion'] as const;
export type EventKind = (typeof eventKinds)[number];

/** What a client sealed and signed, in base64. The platform carries it and reads none of it. */
export interface Sealed {
  /** The client's; signed along. */
  readonly messageId: string;
  readonly detail: string;
  readonly signature: string;
}

export interface ConversationEvent {
  /** The platform's, and the order of everything in all conversations. */
  readonly seqId: string;
  readonly kind: EventKind;
  readonly sender: User;
  readonly at: number;
  /** `seqId` of the message that it is about; null for a message. */
  readonly target: string | null;
  /** Of a deletion: for both sides, not for its sender alone. */
  readonly forAll: boolean;
  /** Asked for when it is shown: that of the seed's history is made then. */
  readonly sealed: () => Sealed;
}

/** A new conversation key, wrapped to each participant inside what is sealed. */
export interface ConversationKeyChange {
  readonly seqId: string;
  readonly sender: User;
  readonly at: number;
  readonly version: string;
  readonly sealed: () => Sealed;
}

export interface Message {
  readonly event: ConversationEvent;
  /** Edits and reactions, oldest first, and what deleted it. */
  readonly about: ConversationEvent[];
  deletedForAll: boolean;
  /** Those who deleted it for themselves. */
  readonly deletedFor: Set<User>;
}

/** What two people write to each other. It decides nothing; who may write is for the operations. */
export class Conversation {
  readonly id: string;
  readonly members: readonly [User, User];
  readonly keyChanges: ConversationKeyChange[] = [];
  /** In the order of their seqIds. */
  readonly messages: Message[] = [];
  /** Those who take part by their own will: who began it, who answered, and who follows the other. */
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

  message(seqId: string): Message | undefined {
    return this.#bySeqId.get(seqId);
  }

  /** The seqId of what this sender sent with this message id before. */
  sent(sender: User, messageId: string): string | undefined {
    return this.#sent.get(`${sender.id} ${messageId}`);
  }

  /** That it came by a call, under this message id. */
  note(messageId: string, { sender, seqId }: ConversationEvent | ConversationKeyChange): void {
    this.#sent.set(`${sender.id} ${messageId}`, seqId);
  }

  /** Of any kind. */
  event(seqId: string): ConversationEvent | undefined {
    return this.#events.get(seqId);
  }

  addKeyChange(change: ConversationKeyChange): void {
    this.keyChanges.push(change);
    this.accepted.add(change.sender);
  }

  add(event: ConversationEvent): void {
    this.#events.set(event.seqId, event);
    if (event.kind === 'message') {
      const message = { event, about: [], deletedForAll: false, deletedFor: new Set<User>() };
      this.messages.push(message);
      this.#bySeqId.set(event.seqId, message);
      this.accepted.add(event.sender);
      return;
    }
    const message = event.target === null ? undefined : this.#bySeqId.get(event.target);
    if (message === undefined) return;
    if (event.kind !== 'deletion') message.about.push(event);
    else if (event.forAll) {
      // What was said is gone for good, and so is what was said of it; the signed deletion stays.
      message.deletedForAll = true;
      message.about.splice(0, message.about.length, event);
    } else message.deletedFor.add(event.sender);
  }

  /** The last message that is not later than this. */
  lastUpTo(seqId: string): Message | undefined {
    for (let at = this.messages.length - 1; at >= 0; at--) {
      const message = this.messages[at];
      if (message !== undefined && compareIds(message.event.seqId, seqId) <= 0) return message;
    }
    return undefined;
  }
}
