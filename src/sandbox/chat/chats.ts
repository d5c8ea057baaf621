import { compareIds, nextSnowflake } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import type { Segments } from '../uploads/segments.ts';
import { Conversation } from './conversation.ts';

/** The public chat keys of a user, in base64. Each of the two keys signs the other one. */
export interface PublicKeys {
  readonly version: string;
  readonly identity: string;
  readonly signing: string;
  /** The signature of the identity key, made with the signing key. */
  readonly identitySignature: string;
  /** The signature of the signing key, made with the identity key. */
  readonly signingSignature: string;
}

/** An encrypted attachment of a conversation. Only the participants may download the attachment. */
export interface ChatMedia {
  readonly conversation: string;
  readonly size: number;
}

/** An attachment whose segments are being uploaded. */
export interface PendingChatMedia extends Segments {
  readonly owner: User;
  readonly hash: string;
}

/** Stores all conversations and the registered public keys. The content of messages is stored encrypted only. */
export class Chats {
  readonly conversations = new Map<string, Conversation>();
  /** The encrypted attachments by `media_hash_key`. */
  readonly media = new Map<string, ChatMedia>();
  /** The unfinished uploads by the id of their session. */
  readonly pendingMedia = new Map<string, PendingChatMedia>();
  /** The public keys that users registered by an API call. */
  readonly registered = new Map<User, PublicKeys[]>();
  readonly #byUser = new Map<User, Conversation[]>();
  #lastSeqId = '0';

  /** The latest sequence id given to any event in any conversation. */
  get lastSeqId(): string {
    return this.#lastSeqId;
  }

  nextSeqId(at: number): string {
    return nextSnowflake(at, this.#lastSeqId);
  }

  /** Records a sequence id that is in use, so that `nextSeqId` returns a higher one. */
  markUsed(seqId: string): void {
    if (compareIds(seqId, this.#lastSeqId) > 0) this.#lastSeqId = seqId;
  }

  /** Returns the conversation between two users. Creates the conversation if it does not exist. */
  findOrCreate(first: User, second: User): Conversation {
    const id = chatIdOf(first, second);
    const known = this.conversations.get(id);
    if (known !== undefined) return known;
    const members = compareIds(first.id, second.id) < 0 ? ([first, second] as const) : ([second, first] as const);
    const conversation = new Conversation(id, members);
    this.conversations.set(id, conversation);
    for (const user of members) {
      const own = this.#byUser.get(user);
      if (own === undefined) this.#byUser.set(user, [conversation]);
      else own.push(conversation);
    }
    return conversation;
  }

  conversationsOf(user: User): readonly Conversation[] {
    return this.#byUser.get(user) ?? [];
  }
}

/** Returns the conversation id of two users: both user ids, the numerically smaller one first. */
export function chatIdOf(first: User, second: User): string {
  return compareIds(first.id, second.id) < 0 ? `${first.id}:${second.id}` : `${second.id}:${first.id}`;
}
