import { fromBase64, MalformedError } from './encoding.ts';
import type { EventEnvelope, Placement, SignedEvent } from './event.ts';
import { readStruct } from './thrift-reader.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { stringField, struct, structField } from './thrift-writer.ts';

/** Field numbers of `MessageEvent` in `event.thrift` of the official SDK (0.4.3). */
const fields = {
  sequenceId: 1,
  messageId: 2,
  senderId: 3,
  conversationId: 4,
  createdAtMs: 6,
  detail: 7,
  signature: 9,
} as const;

/** The size limit of an event in base64. Real events are far smaller. */
const maxEventLength = 1_048_576;

/** An event whose content the platform has deleted has no detail and no signature. */
type PlaceableEvent = Omit<SignedEvent, 'detail' | 'signature'> & Partial<Pick<SignedEvent, 'detail' | 'signature'>>;

/** Encodes an event with its placement as a `MessageEvent` in base64, which is the form that participants receive. */
export function encodeMessageEvent(event: PlaceableEvent, { sequenceId, createdAtMs }: Placement): string {
  return struct(
    stringField(fields.sequenceId, sequenceId),
    stringField(fields.messageId, event.messageId),
    stringField(fields.senderId, event.senderId),
    stringField(fields.conversationId, event.conversationId),
    stringField(fields.createdAtMs, String(createdAtMs)),
    structField(fields.detail, event.detail === undefined ? undefined : fromBase64(event.detail)),
    structField(fields.signature, event.signature === undefined ? undefined : fromBase64(event.signature)),
  ).toString('base64');
}

export interface DecodedMessageEvent {
  envelope: EventEnvelope;
  detail: ThriftStruct | undefined;
  signature: ThriftStruct | undefined;
}

/** Decodes a `MessageEvent` without verifying it. Throws `MalformedError`. */
export function decodeMessageEvent(raw: string): DecodedMessageEvent {
  if (raw.length > maxEventLength) throw new MalformedError('it is too large');
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

/** Returns the identifying fields of an event, which are not verified, or undefined if the event is malformed. */
export function envelopeOf(raw: string): EventEnvelope | undefined {
  try {
    return decodeMessageEvent(raw).envelope;
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

function required(text: string | undefined, form = /^[^,]{1,64}$/): string {
  if (text === undefined || !form.test(text)) throw new MalformedError('a field is missing or malformed');
  return text;
}
