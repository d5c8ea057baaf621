import { randomBytes } from 'node:crypto';
import { type Content, sealContent, sealKeyChange, signDelete } from '../../messaging/encryption/index.ts';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import { conversationId } from './chats.ts';
import { peersOf, sealedOf } from './client.ts';
import type { Conversation, EventKind, Sealed } from './conversation.ts';
import { publicKeysOf } from './public-keys.ts';

/** What one whose keys derive from the seed says to another. */
export interface Speech {
  readonly from: User;
  readonly to: User;
  readonly said: Content | { readonly kind: 'delete'; readonly targetSequenceId: string };
  /** One bit of what is sealed is turned on its way. */
  readonly corrupt?: boolean;
}

const kinds: Record<Speech['said']['kind'], EventKind> = {
  message: 'message',
  edit: 'edit',
  reactionAdded: 'reaction_added',
  reactionRemoved: 'reaction_removed',
  delete: 'deletion',
};

/**
 * Seals and sends it by the client of `from`, which begins the conversation where there is none. Answers the event's seqId;
 * undefined where the client cannot: the other has no keys, or the conversation's key does not open.
 */
export function speak(platform: SandboxState, { from, to, said, corrupt = false }: Speech): string | undefined {
  const key = keyBetween(platform, from, to);
  if (key === undefined) return undefined;
  const { chats } = platform.dataset;
  const self = platform.clients.selfOf(from);
  const id = conversationId(from, to);
  const signed =
    said.kind === 'delete'
      ? signDelete(self, id, { sequenceIds: [said.targetSequenceId], forAll: true }, randomBytes)
      : sealContent(self, id, key, said, randomBytes);
  const at = platform.now();
  const seq = chats.nextSeqId(at);
  platform.commit({
    ...{ kind: 'chat_event', user: from.id, other: to.id, at, seq, type: kinds[said.kind] },
    sealed: corrupt ? corrupted(sealedOf(signed)) : sealedOf(signed),
    ...(said.kind === 'delete' && { forAll: true }),
    ...('targetSequenceId' in said && { target: said.targetSequenceId }),
  });
  return seq;
}

function keyBetween(platform: SandboxState, from: User, to: User) {
  const { chats } = platform.dataset;
  const conversation = chats.conversations.get(conversationId(from, to));
  const peers = peersOf([from, to], (user) => publicKeysOf(platform, user));
  if (conversation !== undefined && conversation.keyChanges.length > 0) {
    return platform.clients.reader(conversation, from, peers).keys.latest;
  }
  const at = platform.now();
  const id = conversationId(from, to);
  const made = sealKeyChange(platform.clients.selfOf(from), id, peers, { nowMs: at, randomBytes });
  if (!made.ok) return undefined;
  const { event, key } = made.value;
  const seq = chats.nextSeqId(at);
  const sealed = sealedOf(event);
  platform.commit({ kind: 'chat_key', user: from.id, other: to.id, at, seq, version: key.version, sealed });
  return key;
}

function corrupted(sealed: Sealed): Sealed {
  const bytes = Buffer.from(sealed.detail, 'base64');
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return { ...sealed, detail: bytes.toString('base64') };
}

/** The last message of this sender that is still there. */
export function lastMessageBy(conversation: Conversation, sender: User): string | undefined {
  for (let at = conversation.messages.length - 1; at >= 0; at--) {
    const message = conversation.messages[at];
    if (message?.event.sender === sender && !message.deletedForAll) return message.event.seqId;
  }
  return undefined;
}
