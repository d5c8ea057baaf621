import { canonicalConversationId, participantsOf } from '../../shared/model/conversation-id.ts';
import { decodeContent } from './content.ts';
import type { ConversationKeys } from './conversation-keys.ts';
import { type Detail, decodeDetail } from './detail.ts';
import { MalformedError } from './encoding.ts';
import type { EventEnvelope, MessageAction, MessageContent, OpenedEvent } from './event.ts';
import type { Self } from './keys.ts';
import { type DecodedMessageEvent, decodeMessageEvent } from './message-event.ts';
import { type OpenedContent, opened, refused } from './opened.ts';
import type { Peers } from './peers.ts';
import { openBox } from './secretbox.ts';
import { readSignature, type SignatureClaim, signedPayload } from './signature.ts';
import { unwrapKey } from './wrap.ts';

export interface Reader {
  self: Self;
  conversationId: string;
  /** The public keys of both participants. */
  peers: Peers;
  keys: ConversationKeys;
}

/**
 * Verifies the sender's signature and the conversation of an event, and decrypts it. `sequenceId` and `createdAtMs`
 * come from the platform and are not verified. The key of a key change is returned, but not added to `reader.keys`.
 * Invalid events give a failure and do not throw.
 */
export function openEvent(raw: string, reader: Reader): OpenedEvent {
  let placed: DecodedMessageEvent;
  try {
    placed = decodeMessageEvent(raw);
  } catch (error) {
    if (error instanceof MalformedError) return refused('corrupt');
    throw error;
  }
  const { envelope } = placed;
  const result = openPlaced(placed, reader);
  return result.ok ? { ok: true, value: { ...envelope, ...result.value } } : { ...result, envelope };
}

/** Returns true for a key change, also if it does not open. */
export function isKeyChange(raw: string): boolean {
  try {
    const { detail } = decodeMessageEvent(raw);
    return detail !== undefined && decodeDetail(detail)?.kind === 'keyChange';
  } catch (error) {
    if (error instanceof MalformedError) return false;
    throw error;
  }
}

function openPlaced(placed: DecodedMessageEvent, reader: Reader): OpenedContent<MessageContent | MessageAction> {
  try {
    if (!belongs(placed.envelope, reader.conversationId)) return refused('wrong_conversation');
    if (placed.detail === undefined) return refused('deleted');
    const detail = decodeDetail(placed.detail);
    if (detail === undefined) return refused('unsupported');
    const claim = readSignature(placed.signature, placed.envelope.senderId, reader.peers);
    if (!claim.ok) return claim;
    return openDetail(placed.envelope, detail, claim.value, reader);
  } catch (error) {
    if (error instanceof MalformedError) return refused('corrupt');
    throw error;
  }
}

function openDetail(
  envelope: EventEnvelope,
  detail: Detail,
  claim: SignatureClaim,
  reader: Reader,
): OpenedContent<MessageContent | MessageAction> {
  switch (detail.kind) {
    case 'content':
      return openContent(envelope, detail, claim, reader);
    case 'keyChange':
      return openKeyChange(envelope, detail, claim, reader);
    case 'delete':
      return isSigned(envelope, detail, claim) ? opened(detail) : refused('bad_signature');
  }
}

function openContent(
  envelope: EventEnvelope,
  detail: Extract<Detail, { kind: 'content' }>,
  claim: SignatureClaim,
  { keys }: Reader,
): OpenedContent<MessageContent> {
  if (!isSigned(envelope, detail, claim)) return refused('bad_signature');
  const key = keys.get(detail.keyVersion);
  if (key === undefined) return refused('no_key');
  const plain = openBox(detail.sealed, key);
  if (plain === undefined) return refused('wrong_key');
  const content = decodeContent(plain);
  return content === undefined ? refused('unsupported') : opened(content);
}

/**
 * Decrypts and verifies a key change. The signature covers the unencrypted key, so only a recipient of the key can
 * verify it.
 */
function openKeyChange(
  envelope: EventEnvelope,
  detail: Extract<Detail, { kind: 'keyChange' }>,
  claim: SignatureClaim,
  { self, keys }: Reader,
): OpenedContent<MessageAction> {
  const copy = detail.copies.find(
    ({ userId, publicKeyVersion }) => userId === self.userId && publicKeyVersion === self.publicKeyVersion,
  );
  if (copy === undefined) return refused('no_key');
  const key = unwrapKey(copy.wrapped, self.keys.identity.privateKey);
  if (key === undefined) return refused('wrong_key');
  if (!isSigned(envelope, detail, claim, key)) return refused('bad_signature');
  const known = keys.get(detail.keyVersion);
  if (known !== undefined && Buffer.compare(known, key) !== 0) return refused('wrong_key');
  return opened({ kind: 'keyChange', key: { version: detail.keyVersion, key } });
}

function isSigned(
  envelope: EventEnvelope,
  detail: Detail,
  { signer, signature }: SignatureClaim,
  key?: Uint8Array,
): boolean {
  return signer.hasSigned(signedPayload(envelope, detail, key), signature);
}

function belongs({ conversationId, senderId }: EventEnvelope, expected: string): boolean {
  // A participant may have signed the other spelling of the id.
  return canonicalConversationId(conversationId) === expected && participantsOf(expected)?.includes(senderId) === true;
}
