import { compareIds, nextSnowflake } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { Conversation } from './conversation.ts';

/** The public half of somebody's chat keys, in base64, and the signatures that bind the two together. */
export interface PublicKeys {
  readonly version: string;
  readonly identity: string;
  readonly signing: string;
  /** The signing key's signature of the identity key. */
  readonly identitySignature: string;
  /** The identity key's signature of the signing key. */
  readonly signingSignature: string;
}

/** Sealed bytes that participants of a conversation may fetch. */
export interface ChatMedia {
  readonly conversation: string;
  readonly size: number;
}

/** All conversations, and the public keys of those who take part. Everything else in them is sealed. */
export class Chats {
  readonly conversations = new Map<string, Conversation>();
  /** By `media_hash_key`. */
  readonly media = new Map<string, ChatMedia>();
  /** Registered by a call. */
  readonly registered = new Map<User, PublicKeys[]>();
  readonly #byUser = new Map<User, Conversation[]>();
  #lastSeqId = '0';

  /** The latest of anything in any conversation. */
  get lastSeqId(): string {
    return this.#lastSeqId;
  }

  nextSeqId(at: number): string {
    return nextSnowflake(at, this.#lastSeqId);
  }

  /** Ids go on above it. */
  took(seqId: string): void {
    if (compareIds(seqId, this.#lastSeqId) > 0) this.#lastSeqId = seqId;
  }

  /** Makes it where there is none. */
  between(first: User, second: User): Conversation {
    const id = conversationId(first, second);
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

  of(user: User): readonly Conversation[] {
    return this.#byUser.get(user) ?? [];
  }
}

/** The smaller id first, as numbers. */
export function conversationId(first: User, second: User): string {
  return compareIds(first.id, second.id) < 0 ? `${first.id}:${second.id}` : `${second.id}:${first.id}`;
}
