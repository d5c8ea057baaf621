import { type Detail, decodeDetail } from './detail.ts';
import { fromBase64, Malformed } from './encoding.ts';
import type { EventEnvelope, Placement, SignedEvent } from './event.ts';
import { type OpenedContent, opened, refused } from './opened.ts';
import type { Peers } from './peers.ts';
import { readSignature, signedPayload } from './signature.ts';
import { readStruct } from './thrift-reader.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { stringField, struct, structField } from './thrift-writer.ts';

/** `MessageEvent` of the official SDK's `event.thrift` (0.4.3). */
const fields = {
  sequenceId: 1,
  messageId: 2,
  senderId: 3,
  conversationId: 4,
  createdAtMs: 6,
  detail: 7,
  signature: 9,
} as const;

/** Of base64. What a platform relays is smaller by far; reading hostile bytes must not cost more. */
const maxEventLength = 1_048_576;

/** What the platform does with a signed event: the `MessageEvent` that everybody is given, in base64. */
export function placeEvent(event: SignedEvent, { sequenceId, createdAtMs }: Placement): string {
  return struct(
    stringField(fields.sequenceId, sequenceId),
    stringField(fields.messageId, event.messageId),
    stringField(fields.senderId, event.senderId),
    stringField(fields.conversationId, event.conversationId),
    stringField(fields.createdAtMs, String(createdAtMs)),
    structField(fields.detail, fromBase64(event.detail)),
    structField(fields.signature, fromBase64(event.signature)),
  ).toString('base64');
}

export interface OpenedPlacement {
  envelope: EventEnvelope;
  detail: ThriftStruct | undefined;
  signature: ThriftStruct | undefined;
}

/** Takes a `MessageEvent` apart; nothing of it is checked so far. Throws `Malformed`. */
export function readPlaced(raw: string): OpenedPlacement {
  if (raw.length > maxEventLength) throw new Malformed('it is too large');
  const event = readStruct(fromBase64(raw));
  return {
    envelope: {
      messageId: required(event.string(fields.messageId)),
      senderId: required(event.string(fields.senderId)),
      conversationId: required(event.string(fields.conversationId)),
      sequenceId: required(event.string(fields.sequenceId), /^\d{1,20}$/),
      createdAtMs: Number(required(event.string(fields.createdAtMs), /^\d{1,15}$/)),
    },
    detail: event.struct(fields.detail),
    signature: event.struct(fields.signature),
  };
}

/** What the platform learns from an event before it places it: what it is about, and that its sender signed it. */
export type Inspected = Exclude<Detail, { kind: 'content' }> | { kind: 'content'; keyVersion: string };

/**
 * The platform's look at an event that a client sends. It can check every signature but a key change's, which covers the key
 * that the platform never sees; there it finds out who would have signed it.
 */
export function inspectEvent(event: SignedEvent, peers: Peers): OpenedContent<Inspected> {
  try {
    if (event.detail.length + event.signature.length > maxEventLength) return refused('corrupt');
    const detail = decodeDetail(readStruct(fromBase64(event.detail)));
    if (detail === undefined) return refused('unsupported');
    const claim = readSignature(readStruct(fromBase64(event.signature)), event.senderId, peers);
    if (!claim.ok) return claim;
    if (detail.kind === 'keyChange') return opened(detail);
    const { signer, signature } = claim.value;
    if (!signer.hasSigned(signedPayload(event, detail), signature)) return refused('bad_signature');
    return opened(detail.kind === 'content' ? { kind: 'content', keyVersion: detail.keyVersion } : detail);
  } catch (error) {
    if (error instanceof Malformed) return refused('corrupt');
    throw error;
  }
}

function required(text: string | undefined, form = /^[^,]{1,64}$/): string {
  if (text === undefined || !form.test(text)) throw new Malformed('a field is missing, or is not what it has to be');
  return text;
}
