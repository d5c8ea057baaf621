import { decodeContent } from './content.ts';
import { participantsOf } from './conversation-id.ts';
import { type ConversationKeys, isNewer } from './conversation-keys.ts';
import { type Detail, decodeDetail } from './detail.ts';
import { Malformed } from './encoding.ts';
import type { EventEnvelope, MessageAction, MessageContent, OpenedEvent } from './event.ts';
import type { Self } from './keys.ts';
import { type OpenedContent, opened, refused } from './opened.ts';
import type { Peers } from './peers.ts';
import { type OpenedPlacement, readPlaced } from './placed.ts';
import { openBox } from './secretbox.ts';
import { readSignature, type SignatureClaim, signedPayload } from './signature.ts';
import { unwrapKey } from './wrap.ts';

export interface Reader {
  self: Self;
  conversationId: string;
  /** Both participants' public keys, one's own included. */
  peers: Peers;
  keys: ConversationKeys;
  /**
   * For events as they happen: the key version that the conversation had reached before. An older one is a `downgrade`.
   * Left out for history, where older keys are what is to be expected.
   */
  floor?: string;
}

/**
 * Checks that the sender signed this event, in this conversation, and opens it. `sequenceId` and `createdAtMs` are the
 * platform's word. Does not adopt the key of a key change. Never throws on what it is given to open.
 */
export function openEvent(raw: string, reader: Reader): OpenedEvent {
  let placed: OpenedPlacement;
  try {
    placed = readPlaced(raw);
  } catch (error) {
    if (error instanceof Malformed) return refused('corrupt');
    throw error;
  }
  const { envelope } = placed;
  const result = openPlaced(placed, reader);
  return result.ok ? { ok: true, value: { ...envelope, ...result.value } } : { ...result, envelope };
}

/** A page: its key changes first, whose keys `reader.keys` adopts, then the rest. One answer for each, in the given order. */
export function openEvents(raw: readonly string[], reader: Reader): OpenedEvent[] {
  const attempts = raw.map((one) => {
    const result = openEvent(one, reader);
    if (result.ok && result.value.kind === 'keyChange') reader.keys.adopt(result.value.key);
    return result;
  });
  // Most pages hold keys already; a second look is for what came before its key.
  return attempts.map((result, index) => {
    const event = raw[index];
    return !result.ok && result.reason === 'no_key' && event !== undefined ? openEvent(event, reader) : result;
  });
}

function openPlaced(placed: OpenedPlacement, reader: Reader): OpenedContent<MessageContent | MessageAction> {
  try {
    if (!belongs(placed.envelope, reader.conversationId)) return refused('wrong_conversation');
    if (placed.detail === undefined) return refused('corrupt');
    const detail = decodeDetail(placed.detail);
    if (detail === undefined) return refused('unsupported');
    const claim = readSignature(placed.signature, placed.envelope.senderId, reader.peers);
    if (!claim.ok) return claim;
    return openDetail(placed.envelope, detail, claim.value, reader);
  } catch (error) {
    if (error instanceof Malformed) return refused('corrupt');
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
  { keys, floor }: Reader,
): OpenedContent<MessageContent> {
  if (!isSigned(envelope, detail, claim)) return refused('bad_signature');
  if (isBelow(floor, detail.keyVersion)) return refused('downgrade');
  const key = keys.get(detail.keyVersion);
  if (key === undefined) return refused('no_key');
  const plain = openBox(detail.sealed, key);
  if (plain === undefined) return refused('wrong_key');
  const content = decodeContent(plain);
  return content === undefined ? refused('unsupported') : opened(content);
}

/** Its signature covers the plain key, so it can be checked only by those whom the key was wrapped to. */
function openKeyChange(
  envelope: EventEnvelope,
  detail: Extract<Detail, { kind: 'keyChange' }>,
  claim: SignatureClaim,
  { self, keys, floor }: Reader,
): OpenedContent<MessageAction> {
  const copy = detail.copies.find(
    ({ userId, publicKeyVersion }) => userId === self.userId && publicKeyVersion === self.publicKeyVersion,
  );
  if (copy === undefined) return refused('no_key');
  const key = unwrapKey(copy.wrapped, self.keys.identity.privateKey);
  if (key === undefined) return refused('wrong_key');
  if (!isSigned(envelope, detail, claim, key)) return refused('bad_signature');
  if (isBelow(floor, detail.keyVersion)) return refused('downgrade');
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
  return conversationId === expected && participantsOf(conversationId)?.includes(senderId) === true;
}

function isBelow(floor: string | undefined, version: string): boolean {
  return floor !== undefined && isNewer(floor, version);
}
