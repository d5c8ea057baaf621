import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';

/** Content that a client encrypted and signed, in base64. The platform stores the content but cannot decrypt it. */
export interface Sealed {
  /** The message id that the client chose. The signature covers this id. */
  readonly messageId: string;
  readonly detail: string;
  readonly signature: string;
}

/** An event of a conversation. The platform cannot tell a message from an edit or a reaction. */
export interface ConversationEvent {
  /** The sequence id that the platform assigned. Sequence ids order the events of all conversations. */
  readonly seqId: string;
  readonly sender: User;
  readonly at: number;
  /** The sequence ids of the events that this event deletes, for both participants or only for its sender. */
  readonly deletes?: { readonly targets: readonly string[]; readonly forAll: boolean };
  /** Returns the encrypted content. A function, because messages of the seed are encrypted when they are first read. */
  readonly sealed: () => Sealed;
}

/**
 * An event that introduces a new conversation key. The encrypted content holds the key, wrapped for each participant.
 */
export interface ConversationKeyChange extends Omit<ConversationEvent, 'deletes'> {
  readonly version: string;
}

/**
 * The events and key changes between two users. The class stores events and checks no permissions. The operations
 * decide who may write.
 */
export class Conversation {
  readonly id: string;
  readonly members: readonly [User, User];
  readonly keyChanges: ConversationKeyChange[] = [];
  /** The events that are no key changes, ordered by sequence id. */
  readonly events: ConversationEvent[] = [];
  /**
   * The participants who agreed to the conversation: those who wrote in it, and those who follow the other participant.
   */
  readonly accepted = new Set<User>();
  readonly mutedBy = new Set<User>();
  readonly #bySeqId = new Map<string, ConversationEvent>();
  readonly #sent = new Map<string, string>();
  /** The participants for whom an event was deleted. */
  readonly #deletedFor = new Map<string, Set<User>>();

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

  /** Returns the sequence id of the event that this sender already sent with this message id, if there is one. */
  sentSeqId(sender: User, messageId: string): string | undefined {
    return this.#sent.get(`${sender.id} ${messageId}`);
  }

  /** Records that an API call created this event under this message id. */
  recordSent(messageId: string, { sender, seqId }: ConversationEvent | ConversationKeyChange): void {
    this.#sent.set(`${sender.id} ${messageId}`, seqId);
  }

  findEvent(seqId: string): ConversationEvent | undefined {
    return this.#bySeqId.get(seqId);
  }

  addKeyChange(change: ConversationKeyChange): void {
    this.keyChanges.push(change);
    this.accepted.add(change.sender);
  }

  addEvent(event: ConversationEvent): void {
    this.#bySeqId.set(event.seqId, event);
    let at = this.events.length;
    while (at > 0 && compareIds(this.events[at - 1]?.seqId ?? '', event.seqId) > 0) at--;
    this.events.splice(at, 0, event);
    if (event.deletes === undefined) this.accepted.add(event.sender);
    for (const target of event.deletes?.targets ?? []) {
      const gone = this.#deletedFor.get(target) ?? new Set();
      for (const user of event.deletes?.forAll ? this.members : [event.sender]) gone.add(user);
      this.#deletedFor.set(target, gone);
    }
  }

  /** Returns true if the content of the event was deleted for the viewer. */
  isDeletedFor(viewer: User, { seqId }: ConversationEvent): boolean {
    return this.#deletedFor.get(seqId)?.has(viewer) ?? false;
  }

  /** A participant's deletion for themselves is not shown to the other one. */
  isShownTo(viewer: User, { deletes, sender }: ConversationEvent): boolean {
    return deletes === undefined || deletes.forAll || sender === viewer;
  }

  /** Returns the last event whose sequence id is not above `seqId`. */
  lastUpTo(seqId: string): ConversationEvent | undefined {
    return this.events.findLast((event) => event.deletes === undefined && compareIds(event.seqId, seqId) <= 0);
  }
}
