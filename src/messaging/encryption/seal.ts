import { participantsOf } from '../../shared/model/conversation-id.ts';
import { encodeContent } from './content.ts';
import { type ConversationKey, newConversationKey } from './conversation-keys.ts';
import { type Detail, encodeDetail, type KeyCopy } from './detail.ts';
import { MalformedError, toBase64 } from './encoding.ts';
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
  /** The new conversation key. Use it after the platform has accepted the event. */
  key: ConversationKey;
}

/**
 * Creates a conversation key and encrypts it for both participants. Returns the key, and the event that sends it to them. Fails with
 * `unknown_sender` if a participant has no keys, or with `binding` if the keys are not verified.
 */
export function sealKeyChange(
  self: Self,
  conversationId: string,
  peers: Peers,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: RandomBytes },
): OpenedContent<SealedKeyChange> {
  const key = newConversationKey(nowMs, randomBytes);
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

/** Encrypts and signs a message, an edit or a reaction. */
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

/**
 * Signs a deletion, either for all participants or for the signer only. Readers accept a deletion for all only from the
 * author of the message.
 */
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
  if (!both?.includes(self.userId)) throw new MalformedError('the sender is not in this conversation');
  return both;
}

/** Returns a random UUID (RFC 9562, section 5.4), the form of message ids in the official SDK (0.4.3). */
function newMessageId(randomBytes: RandomBytes): string {
  const bytes = Buffer.from(randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
