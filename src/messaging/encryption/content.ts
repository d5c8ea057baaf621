import { Malformed } from './encoding.ts';
import { type Attachment, type MediaType, type MessageContent, mediaTypes } from './event.ts';
import { readStruct } from './thrift-reader.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { i32Field, i64Field, stringField, struct, structField, structsField } from './thrift-writer.ts';

/**
 * The sealed part of an event: `MessageEntryHolder`, with the field numbers of the official SDK's `product.thrift` (0.4.3).
 * Richer parts that its clients may send (entities, quoted replies, cards) are passed over.
 */
const holder = { contents: 1 } as const;
const contents = { message: 1, reactionAdd: 2, reactionRemove: 3, edit: 4 } as const;
const message = { text: 1, attachments: 3 } as const;
const attachment = { media: 1 } as const;
const media = { hashKey: 1, dimensions: 2, type: 3, size: 5, filename: 6 } as const;
const dimensions = { width: 1, height: 2 } as const;
/** Edits and reactions alike: the message that is meant, then the new text or the emoji. */
const change = { sequenceId: 1, value: 2 } as const;

export function encodeContent(content: MessageContent): Uint8Array {
  return struct(structField(holder.contents, encodeVariant(content)));
}

/** Undefined for what is well-formed, but nothing that is shown here. Throws `Malformed`. */
export function decodeContent(bytes: Uint8Array): MessageContent | undefined {
  const union = readStruct(bytes).struct(holder.contents);
  if (union === undefined) throw new Malformed('it has no contents');
  const { variant } = union;
  const value = union.struct(variant);
  if (value === undefined) throw new Malformed('it has no contents');
  switch (variant) {
    case contents.message:
      return { kind: 'message', text: value.string(message.text) ?? '', attachments: attachmentsOf(value) };
    case contents.edit:
      return { kind: 'edit', targetSequenceId: targetOf(value), text: value.string(change.value) ?? '' };
    case contents.reactionAdd:
      return { kind: 'reactionAdded', targetSequenceId: targetOf(value), emoji: emojiOf(value) };
    case contents.reactionRemove:
      return { kind: 'reactionRemoved', targetSequenceId: targetOf(value), emoji: emojiOf(value) };
    default:
      return undefined;
  }
}

function encodeVariant(content: MessageContent): Buffer {
  switch (content.kind) {
    case 'message':
      return struct(structField(contents.message, encodeMessage(content.text, content.attachments)));
    case 'edit':
      return struct(structField(contents.edit, encodeChange(content.targetSequenceId, content.text)));
    case 'reactionAdded':
      return struct(structField(contents.reactionAdd, encodeChange(content.targetSequenceId, content.emoji)));
    case 'reactionRemoved':
      return struct(structField(contents.reactionRemove, encodeChange(content.targetSequenceId, content.emoji)));
  }
}

function encodeMessage(text: string, attachments: readonly Attachment[]): Buffer {
  const encoded = attachments.map((one) => struct(structField(attachment.media, encodeMedia(one))));
  return struct(
    stringField(message.text, text),
    encoded.length === 0 ? undefined : structsField(message.attachments, encoded),
  );
}

function encodeChange(targetSequenceId: string, value: string): Buffer {
  return struct(stringField(change.sequenceId, targetSequenceId), stringField(change.value, value));
}

function encodeMedia({ mediaHashKey, type, filename, size, width, height }: Attachment): Buffer {
  const hasDimensions = width !== undefined || height !== undefined;
  return struct(
    stringField(media.hashKey, mediaHashKey),
    hasDimensions
      ? structField(media.dimensions, struct(i64Field(dimensions.width, width), i64Field(dimensions.height, height)))
      : undefined,
    i32Field(media.type, type),
    i64Field(media.size, size),
    stringField(media.filename, filename),
  );
}

function attachmentsOf(value: ThriftStruct): Attachment[] {
  return value
    .structs(message.attachments)
    .map((union) => union.struct(attachment.media))
    .filter((one) => one !== undefined)
    .map(decodeMedia);
}

function decodeMedia(value: ThriftStruct): Attachment {
  const mediaHashKey = value.string(media.hashKey);
  if (mediaHashKey === undefined) throw new Malformed('an attachment has no media hash key');
  const size = value.struct(media.dimensions);
  const width = size === undefined ? undefined : countOf(size, dimensions.width);
  const height = size === undefined ? undefined : countOf(size, dimensions.height);
  return {
    mediaHashKey,
    type: mediaTypeOf(value.i32(media.type)),
    filename: value.string(media.filename) ?? '',
    size: countOf(value, media.size) ?? 0,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** A type that is newer than this code is a file; one that is left out is an image, as the SDK reads it. */
function mediaTypeOf(type: number | undefined): MediaType {
  if (type === undefined) return mediaTypes.image;
  return Object.values(mediaTypes).find((known) => known === type) ?? mediaTypes.file;
}

function countOf(value: ThriftStruct, id: number): number | undefined {
  const count = value.i64(id);
  if (count === undefined) return undefined;
  if (count < 0n || count > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed('a count is out of range');
  return Number(count);
}

function targetOf(value: ThriftStruct): string {
  const target = value.string(change.sequenceId);
  if (target === undefined) throw new Malformed('it names no message');
  return target;
}

function emojiOf(value: ThriftStruct): string {
  const emoji = value.string(change.value);
  if (emoji === undefined) throw new Malformed('a reaction has no emoji');
  return emoji;
}
