import { encodeContent } from './content.ts';
import { participantsOf } from './conversation-id.ts';
import { type ConversationKey, newConversationKey } from './conversation-keys.ts';
import { type Detail, encodeDetail, type KeyCopy } from './detail.ts';
import { Malformed, toBase64 } from './encoding.ts';
import type { MessageContent, SignedEvent } from './event.ts';
import type { Self } from './keys.ts';
import { type OpenedContent, opened } from './opened.ts';
import type { RandomBytes } from './p256.ts';
import type { Peers } from './peers.ts';
import { sealBox } from './secretbox.ts';
import { encodeSignature, signedPayload } from './signature.ts';
import { wrapKey } from './wrap.ts';

export interface SealedKeyChange {
  event: SignedEvent;
  /** To seal with once the platform has taken the event. */
  key: ConversationKey;
}

/**
 * A new conversation key, wrapped to both participants: it establishes a conversation, or turns its key. `newerThan` is the
 * version that the conversation has reached. Refused where a participant has no keys (`unknown_sender`) or unbound ones.
 */
export function sealKeyChange(
  self: Self,
  conversationId: string,
  peers: Peers,
  { nowMs, newerThan, randomBytes }: { nowMs: number; newerThan?: string; randomBytes: RandomBytes },
): OpenedContent<SealedKeyChange> {
  const key = newConversationKey(nowMs, newerThan, randomBytes);
  const copies: KeyCopy[] = [];
  for (const userId of participants(self, conversationId)) {
    const keys = peers.newestOf(userId);
    if (!keys.ok) return keys;
    const wrapped = wrapKey(key.key, keys.value.identityKey, randomBytes);
    copies.push({ userId, publicKeyVersion: keys.value.publicKeyVersion, wrapped });
  }
  const detail: Detail = { kind: 'keyChange', keyVersion: key.version, copies };
  return opened({ event: signEvent(self, conversationId, detail, randomBytes, key.key), key });
}

/** Seals and signs a message, an edit or a reaction. */
export function sealContent(
  self: Self,
  conversationId: string,
  key: ConversationKey,
  content: MessageContent,
  randomBytes: RandomBytes,
): SignedEvent {
  const sealed = sealBox(encodeContent(content), key.key, randomBytes);
  return signEvent(self, conversationId, { kind: 'content', keyVersion: key.version, sealed }, randomBytes);
}

/** Signs a deletion: for all participants (own messages only, which readers check), or in the signer's own view. */
export function signDelete(
  self: Self,
  conversationId: string,
  { sequenceIds, forAll }: { sequenceIds: readonly string[]; forAll: boolean },
  randomBytes: RandomBytes,
): SignedEvent {
  return signEvent(self, conversationId, { kind: 'delete', sequenceIds, forAll }, randomBytes);
}

function signEvent(
  self: Self,
  conversationId: string,
  detail: Detail,
  randomBytes: RandomBytes,
  key?: Uint8Array,
): SignedEvent {
  participants(self, conversationId);
  const subject = { messageId: newMessageId(randomBytes), senderId: self.userId, conversationId };
  const signature = encodeSignature(self, signedPayload(subject, detail, key));
  return { ...subject, detail: toBase64(encodeDetail(detail)), signature: toBase64(signature) };
}

function participants(self: Self, conversationId: string): readonly [string, string] {
  const both = participantsOf(conversationId);
  if (!both?.includes(self.userId)) throw new Malformed('the sender is not in this conversation');
  return both;
}

/** A random UUID (RFC 9562, section 5.4), as the official SDK (0.4.3) names events. */
export function newMessageId(randomBytes: RandomBytes): string {
  const bytes = Buffer.from(randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
