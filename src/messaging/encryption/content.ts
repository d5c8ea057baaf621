import { MalformedError } from './encoding.ts';
import { type Attachment, type MediaType, type MessageContent, mediaTypes } from './event.ts';
import { readStruct } from './thrift-reader.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { i32Field, i64Field, stringField, struct, structField, structsField } from './thrift-writer.ts';

/**
 * Field numbers of `MessageEntryHolder`, the encrypted content of an event, from `product.thrift` of the official SDK
 * (0.4.3). Other fields that clients may send, such as entities, quoted replies and cards, are ignored.
 */
const holder = { contents: 1 } as const;
const contents = { message: 1, reactionAdd: 2, reactionRemove: 3, edit: 4 } as const;
const message = { text: 1, attachments: 3 } as const;
const attachment = { media: 1 } as const;
const media = { hashKey: 1, dimensions: 2, type: 3, size: 5, filename: 6 } as const;
const dimensions = { width: 1, height: 2 } as const;
/** Field numbers shared by edits and reactions: the sequence id of the message, and the new text or the emoji. */
const change = { sequenceId: 1, value: 2 } as const;

export function encodeContent(content: MessageContent): Uint8Array {
  return struct(structField(holder.contents, encodeVariant(content)));
}

/**
 * Decodes the content of an event. Returns undefined for a valid kind that is not supported here. Throws `MalformedError`.
 */
export function decodeContent(bytes: Uint8Array): MessageContent | undefined {
  const union = readStruct(bytes).struct(holder.contents);
  if (union === undefined) throw new MalformedError('it has no contents');
  const { variant } = union;
  const value = union.struct(variant);
  if (value === undefined) throw new MalformedError('it has no contents');
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
  if (mediaHashKey === undefined) throw new MalformedError('an attachment has no media hash key');
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

/** Maps an attachment type. Unknown types become `file`. A missing type becomes `image`, as in the SDK. */
function mediaTypeOf(type: number | undefined): MediaType {
  if (type === undefined) return mediaTypes.image;
  return Object.values(mediaTypes).find((known) => known === type) ?? mediaTypes.file;
}

function countOf(value: ThriftStruct, id: number): number | undefined {
  const count = value.i64(id);
  if (count === undefined) return undefined;
  if (count < 0n || count > BigInt(Number.MAX_SAFE_INTEGER)) throw new MalformedError('a count is out of range');
  return Number(count);
}

function targetOf(value: ThriftStruct): string {
  const target = value.string(change.sequenceId);
  if (target === undefined) throw new MalformedError('it names no message');
  return target;
}

function emojiOf(value: ThriftStruct): string {
  const emoji = value.string(change.value);
  if (emoji === undefined) throw new MalformedError('a reaction has no emoji');
  return emoji;
}
