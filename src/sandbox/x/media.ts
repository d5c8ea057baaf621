import { readFile } from 'node:fs/promises';
import { inspectImage } from '../../media/inspect-image.ts';
import { inspectVideo } from '../../media/inspect-video.ts';
import { MediaError } from '../../media/media-error.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { expiresAfterSecs, fileOf, type PendingUpload, type Upload } from '../dataset/uploads.ts';
import { requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { badRequest, notFound } from '../refusal.ts';
import type { UploadFiles } from '../uploads/files.ts';
import { type Format, formatOf, pictureFormatOf, typeOfExtension } from '../uploads/formats.ts';
import { addSegment, bytesIn, maxJsonBytes, noSegments, type Segment, segmentIn } from '../uploads/segments.ts';
import { keyPrefixes } from './render.ts';
import { oneOf, tokened, usedBefore, userOperation, type WriteCall } from './write.ts';

/** X takes a while to process videos and GIFs. With the extensions it takes no time. */
const processingMs = 1_000;
const maxAltText = 1_000;
/** The fingerprint of every upload. A client that downloads a file again for a retry may get different bytes. */
const fingerprint = 'upload';

const categories = { tweet_image: 'photo', tweet_gif: 'animated_gif', tweet_video: 'video' } as const;
const categoryNames = Object.keys(categories);

/** Uploads: https://docs.x.com/x-api/media/quickstart/media-upload-chunked. An upload that is not attached within a day expires. */
export const mediaOperations: readonly XOperation[] = [
  userOperation('mediaUpload', 'POST', '/2/media/upload', {
    names: ['media', 'media_category'],
    maxJsonBytes,
    async run(call) {
      if (oneOf(call.body, 'media_category', categoryNames) !== 'tweet_image')
        throw badRequest('media_category', 'Only pictures are uploaded in one request');
      const earlier = usedBefore(call, fingerprint);
      if (earlier !== undefined) return answerOf(call, uploadOf(call, earlier));
      const bytes = bytesIn(call.body);
      const format = pictureFormatOf(bytes);
      if (format?.kind !== 'photo') throw badRequest('media', 'The media is not a JPEG, PNG or WebP picture');
      const pending = begin(call, format, bytes.length);
      await append(call, pending, { index: 0, bytes });
      return answerOf(call, await finish(call, pending));
    },
  }),
  userOperation('initializeMediaUpload', 'POST', '/2/media/upload/initialize', {
    names: ['media_type', 'media_category', 'total_bytes'],
    run(call) {
      const category = oneOf(call.body, 'media_category', categoryNames) as keyof typeof categories;
      const format = formatOf(requiredString(call.body, 'media_type'));
      if (format?.kind !== categories[category])
        throw badRequest('media_type', `The \`media_type\` does not belong to ${category}`);
      const total = call.body['total_bytes'];
      if (typeof total !== 'number' || !Number.isInteger(total) || total < 1)
        throw badRequest('total_bytes', 'The `total_bytes` must be a number of bytes');
      const earlier = usedBefore(call, fingerprint);
      const { id } = earlier === undefined ? (startedBefore(call) ?? begin(call, format, total)) : { id: earlier };
      return { data: { id, media_key: keyOf(id, format.kind), expires_after_secs: expiresAfterSecs } };
    },
  }),
  userOperation('appendMediaUpload', 'POST', '/2/media/upload/{id}/append', {
    names: ['media', 'segment_index'],
    maxJsonBytes,
    async run(call) {
      const segment = segmentIn(call.body);
      const pending = pendingOf(call);
      if (pending !== undefined) await append(call, pending, segment);
      return { data: { expires_at: Math.floor(call.state.now() / 1_000) + expiresAfterSecs } };
    },
  }),
  userOperation('finalizeMediaUpload', 'POST', '/2/media/upload/{id}/finalize', {
    async run(call) {
      const pending = pendingOf(call);
      return answerOf(call, pending === undefined ? uploadOf(call, call.subject) : await finish(call, pending));
    },
  }),
  userOperation('getMediaUploadStatus', 'GET', '/2/media/upload', {
    query: ['media_id', 'command'],
    run: (call) => answerOf(call, uploadOf(call, call.query.get('media_id') ?? '')),
  }),
  userOperation('createMediaMetadata', 'POST', '/2/media/metadata', {
    names: ['id', 'metadata'],
    run(call) {
      const { id } = uploadOf(call, requiredString(call.body, 'id'));
      const metadata = (call.body['metadata'] ?? {}) as { alt_text?: { text?: unknown } };
      const text = metadata.alt_text?.text;
      if (typeof text !== 'string' || text.length > maxAltText)
        throw badRequest('metadata', `\`alt_text.text\` must have at most ${maxAltText} characters`);
      const { state, actor } = call;
      state.commit({ kind: 'describe_media', user: actor.id, id, text, at: state.now() });
      return { data: { id, associated_metadata: { alt_text: { text } } } };
    },
  }),
];

function uploadOf({ state, actor }: WriteCall, id: string): Upload {
  return state.dataset.uploads.find(id, actor, state.now());
}

/** Returns the unfinished upload of the path, or undefined if it is finished. */
function pendingOf(call: WriteCall): PendingUpload | undefined {
  const pending = call.state.dataset.uploads.pending.get(call.subject);
  if (pending === undefined) uploadOf(call, call.subject);
  else if (pending.owner !== call.actor) throw notFound('media', call.subject);
  return pending;
}

function startedBefore({ state, actor, token }: WriteCall): PendingUpload | undefined {
  const { pending } = state.dataset.uploads;
  return token === undefined
    ? undefined
    : [...pending.values()].find((each) => each.owner === actor && each.token === token);
}

function begin({ state, actor, token }: WriteCall, format: Format, totalBytes: number): PendingUpload {
  if (totalBytes > format.maxBytes)
    throw badRequest('total_bytes', `The media is larger than ${format.maxBytes} bytes`);
  const { uploads } = state.dataset;
  state.files.remove(uploads.sweep(state.now()));
  const id = nextSnowflake(state.now(), uploads.last);
  uploads.last = id;
  const upload = { id, owner: actor, format, token, ...noSegments(id, totalBytes, state.now()) };
  uploads.pending.set(id, upload);
  return upload;
}

/** Adds a segment. The first one must begin like a file of the format. */
async function append({ state }: WriteCall, pending: PendingUpload, segment: Segment) {
  if (segment.index === 0 && !pending.format.matchesHead(segment.bytes))
    throw badRequest('media', `The bytes do not match ${pending.format.type}`);
  await addSegment(state.files, pending, segment);
}

async function finish({ state, actor, extended }: WriteCall, pending: PendingUpload): Promise<Upload> {
  const { id, format, part } = pending;
  const { uploads } = state.dataset;
  if (pending.bytes !== pending.totalBytes) throw badRequest('id', 'Some bytes of the media are missing');
  const { width, height, durationMs } = await inspect(state.files, part, format, extended);
  // A reset may have replaced the dataset meanwhile.
  if (!state.dataset.uploads.pending.delete(id)) throw notFound('media', id);
  const { kind, extension } = format;
  const at = state.now();
  const entry = { id, user: actor.id, format: kind, extension, width, height, durationMs, at } as const;
  // Store the file before the entry. A crash in between leaves a file without an entry, but never an entry without its file.
  state.files.keep({ path: part }, fileOf(entry));
  state.commit({ kind: 'media', ...entry, ...tokened(pending, fingerprint) });
  const upload = uploads.find(id, actor, at);
  if (kind !== 'photo' && !extended) upload.readyAt = at + processingMs;
  return upload;
}

/** Reads the size and the duration from the bytes. X's limits of GIFs and videos are lower than Postern's own. */
async function inspect(files: UploadFiles, part: string, { kind }: Format, extended: boolean) {
  try {
    return await files.with(part, async (file) => {
      const { size } = await file.stat();
      const read = async (position: number, length: number) => {
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
        await file.read(bytes, 0, bytes.length, position);
        return bytes;
      };
      if (kind !== 'video') {
        const { width, height } = await inspectImage(await readFile(file));
        if (kind === 'animated_gif' && !extended && (width > 1_280 || height > 1_080))
          throw badRequest('media', 'A GIF may have up to 1280 by 1080 pixels');
        return { width, height, durationMs: null };
      }
      const facts = await inspectVideo({ size, read });
      if (!extended && (facts.durationMs ?? 0) > 140_000) throw badRequest('media', 'A video may last 140 seconds');
      return facts;
    });
  } catch (error) {
    throw error instanceof MediaError ? badRequest('media', `The media ${error.message}`) : error;
  }
}

function answerOf({ state, extended }: WriteCall, upload: Upload): object {
  const { id, kind, extension, width, height, readyAt } = upload;
  const type = typeOfExtension(extension);
  const leftMs = readyAt - state.now();
  const processing =
    leftMs > 0
      ? { state: leftMs > processingMs / 2 ? 'pending' : 'in_progress', check_after_secs: 1 }
      : { state: 'succeeded', progress_percent: 100 };
  return {
    data: {
      id,
      media_key: keyOf(id, kind),
      size: state.files.sizeOf(fileOf(upload)),
      expires_after_secs: expiresAfterSecs,
      ...(kind === 'video' ? { video: { video_type: type } } : { image: { image_type: type, w: width, h: height } }),
      ...(kind !== 'photo' && !extended && { processing_info: processing }),
    },
  };
}

function keyOf(id: string, kind: Upload['kind']): string {
  return `${keyPrefixes[kind]}_${id}`;
}
