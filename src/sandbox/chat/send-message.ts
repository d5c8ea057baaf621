import { randomBytes } from 'node:crypto';
import { type Content, sealContent, sealKeyChange, signDelete } from '../../messaging/encryption/index.ts';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import { chatIdOf } from './chats.ts';
import type { Conversation, EventKind, Sealed } from './conversation.ts';
import { publicKeysOf } from './public-keys.ts';
import { peersOf, sealedOf } from './seed-chat-clients.ts';

/** A message to send for a user whose chat keys derive from the seed. */
export interface OutgoingMessage {
  readonly from: User;
  readonly to: User;
  readonly content: Content | { readonly kind: 'delete'; readonly targetSequenceId: string };
  /** If true, one bit of the encrypted content is flipped, so that decryption fails. */
  readonly corrupt?: boolean;
}

const kinds: Record<OutgoingMessage['content']['kind'], EventKind> = {
  message: 'message',
  edit: 'edit',
  reactionAdded: 'reaction_added',
  reactionRemoved: 'reaction_removed',
  delete: 'deletion',
};

/**
 * Encrypts and sends a message as the client of `from`. Starts the conversation if there is none. Returns the sequence
 * id of the event, or undefined if the other user has no chat keys or the conversation key cannot be decrypted.
 */
export function sendMessage(
  platform: SandboxState,
  { from, to, content, corrupt = false }: OutgoingMessage,
): string | undefined {
  const key = conversationKeyOf(platform, from, to);
  if (key === undefined) return undefined;
  const { chats } = platform.dataset;
  const self = platform.clients.selfOf(from);
  const id = chatIdOf(from, to);
  const signed =
    content.kind === 'delete'
      ? signDelete(self, id, { sequenceIds: [content.targetSequenceId], forAll: true }, randomBytes)
      : sealContent(self, id, key, content, randomBytes);
  const at = platform.now();
  const seq = chats.nextSeqId(at);
  platform.commit({
    kind: 'chat_event',
    user: from.id,
    other: to.id,
    at,
    seq,
    type: kinds[content.kind],
    sealed: corrupt ? flipOneBit(sealedOf(signed)) : sealedOf(signed),
    ...(content.kind === 'delete' && { forAll: true }),
    ...('targetSequenceId' in content && { target: content.targetSequenceId }),
  });
  return seq;
}

function conversationKeyOf(platform: SandboxState, from: User, to: User) {
  const { chats } = platform.dataset;
  const conversation = chats.conversations.get(chatIdOf(from, to));
  const peers = peersOf([from, to], (user) => publicKeysOf(platform, user));
  if (conversation !== undefined && conversation.keyChanges.length > 0) {
    return platform.clients.reader(conversation, from, peers).keys.latest;
  }
  const at = platform.now();
  const id = chatIdOf(from, to);
  const made = sealKeyChange(platform.clients.selfOf(from), id, peers, { nowMs: at, randomBytes });
  if (!made.ok) return undefined;
  const { event, key } = made.value;
  const seq = chats.nextSeqId(at);
  const sealed = sealedOf(event);
  platform.commit({ kind: 'chat_key', user: from.id, other: to.id, at, seq, version: key.version, sealed });
  return key;
}

function flipOneBit(sealed: Sealed): Sealed {
  const bytes = Buffer.from(sealed.detail, 'base64');
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return { ...sealed, detail: bytes.toString('base64') };
}

/** Returns the sequence id of the sender's last message that is not deleted for both participants. */
export function lastMessageBy(conversation: Conversation, sender: User): string | undefined {
  for (let at = conversation.messages.length - 1; at >= 0; at--) {
    const message = conversation.messages[at];
    if (message?.event.sender === sender && !message.deletedForAll) return message.event.seqId;
  }
  return undefined;
}
