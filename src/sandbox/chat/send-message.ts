import { randomBytes } from 'node:crypto';
import { type Content, sealContent, sealKeyChange, signDelete } from '../../messaging/encryption/index.ts';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import { chatIdOf } from './chats.ts';
import type { Conversation, Sealed } from './conversation.ts';
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
    sealed: corrupt ? flipOneBit(sealedOf(signed)) : sealedOf(signed),
    ...(content.kind === 'delete'
      ? { type: 'deletion', targets: [content.targetSequenceId], forAll: true }
      : { type: 'content' }),
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

/** Returns the sequence id of the sender's last message, as `viewer` decrypts it, unless it was deleted. */
export function lastMessageBy(
  platform: SandboxState,
  conversation: Conversation,
  sender: User,
  viewer: User,
): string | undefined {
  const peers = peersOf(conversation.members, (user) => publicKeysOf(platform, user));
  return conversation.events.findLast(
    (event) =>
      event.sender === sender &&
      !conversation.isDeletedFor(viewer, event) &&
      platform.clients.open(conversation, viewer, peers, event)?.kind === 'message',
  )?.seqId;
}
