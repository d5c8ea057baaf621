import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import type { PublicKeys } from './chats.ts';
import type { Sealed } from './conversation.ts';

/** Who made a write, and when. */
export interface By {
  readonly user: string;
  readonly at: number;
}

/** The idempotency token of a write. */
export interface Tokened {
  readonly token?: string;
  readonly fingerprint?: string;
}

interface Sent extends By, Tokened {
  readonly other: string;
  readonly seq: string;
  readonly sealed: Sealed;
}

/** A journal entry for a write to a conversation. Message content in an entry is encrypted. */
export type ChatEntry =
  | (Sent & { readonly kind: 'chat_key'; readonly version: string })
  | (Sent & {
      readonly kind: 'chat_event';
      /** Earlier releases wrote the kind of each event, and one target. */
      readonly type: 'content' | 'deletion' | 'message' | 'edit' | 'reaction_added' | 'reaction_removed';
      readonly target?: string;
      readonly targets?: readonly string[];
      readonly forAll?: true;
    })
  | (By & { readonly kind: 'chat_mute' | 'chat_unmute'; readonly other: string })
  | (By & { readonly kind: 'chat_public_keys'; readonly keys: PublicKeys })
  | (By & { readonly kind: 'chat_media'; readonly other: string; readonly hash: string; readonly size: number });

/** Applies an entry. Returns false if one of the users does not exist. */
export function applyChatEntry(dataset: Dataset, entry: ChatEntry): boolean {
  const { chats } = dataset;
  const user = dataset.users.get(entry.user);
  if (user === undefined) return false;
  if (entry.kind === 'chat_public_keys') {
    chats.registered.set(user, [...(chats.registered.get(user) ?? []), entry.keys]);
    return true;
  }
  const other = dataset.users.get(entry.other);
  if (other === undefined) return false;
  const conversation = chats.findOrCreate(user, other);
  const { at } = entry;
  switch (entry.kind) {
    case 'chat_key': {
      const { seq: seqId, version, sealed } = entry;
      chats.markUsed(seqId);
      const change = { seqId, sender: user, at, version, sealed: () => sealed };
      conversation.addKeyChange(change);
      conversation.recordSent(sealed.messageId, change);
      // Followers of a user have agreed to messages from that user. Accounts created by control calls accept all
      // messages.
      if (other.following.has(user) || isMinted(other)) conversation.accepted.add(other);
      return true;
    }
    case 'chat_event': {
      const {
        seq: seqId,
        type,
        sealed,
        target,
        targets = target === undefined ? [] : [target],
        forAll = false,
      } = entry;
      chats.markUsed(seqId);
      const deletes = type === 'deletion' ? { targets, forAll } : undefined;
      const event = { seqId, sender: user, at, sealed: () => sealed, ...(deletes && { deletes }) };
      conversation.addEvent(event);
      conversation.recordSent(sealed.messageId, event);
      for (const each of conversation.members)
        if (conversation.isShownTo(each, event)) dataset.activity.recordChat(each, conversation, event);
      return true;
    }
    case 'chat_mute':
      conversation.mutedBy.add(user);
      return true;
    case 'chat_unmute':
      conversation.mutedBy.delete(user);
      return true;
    case 'chat_media':
      chats.media.set(entry.hash, { conversation: conversation.id, size: entry.size });
      return true;
  }
}

function isMinted({ chatLabel }: User): boolean {
  return chatLabel?.startsWith('minted:') ?? false;
}
