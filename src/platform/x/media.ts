import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { MediaKind, TakenMedia } from '../../shared/model/taken-media.ts';
import { sleep } from '../../shared/runtime/runtime.ts';
import { id, object, optional, readCount, text, type Wire } from '../http/wire.ts';
import type { PlatformMedia } from '../port.ts';
import { Notes } from './notes.ts';
import { operations, writes } from './operations.ts';
import { mediaRefused, subjectNotFound } from './problems.ts';
import { SessionPart, type SessionParts } from './session-parts.ts';

const MiB = 1024 * 1024;
/** The size of a segment, as X's own client has it. */
const segmentBytes = 4 * MiB;
/** The least rate at which X must take the segments of an upload, in bytes per second. */
const leastRate = 256 * 1024;
/** X takes a while to process videos. */
const maxProcessingMs = 120_000;
const maxCheckSecs = 30;
const maxAltText = 1_000;
/** https://docs.x.com/x-api/media/quickstart/best-practices */
const maxGif = { width: 1280, height: 1080 };
const videoMs = { min: 500, max: 140_000 };
const maxReason = 200;
/** The time after which X drops an upload that is not attached. */
const keptMs = 24 * 60 * 60 * 1_000;

const categories: Readonly<Partial<Record<MediaKind, string>>> = {
  photo: 'tweet_image',
  gif: 'tweet_gif',
  video: 'tweet_video',
};

/** The media of one actor on X: https://docs.x.com/x-api/media/quickstart/media-upload-chunked */
export class XMedia extends SessionPart implements PlatformMedia {
  readonly #kinds = new Notes(this.parts.stored, 'media', keptMs);

  /** Pictures take one request, and GIFs and videos one for each segment. The bytes are streamed. */
  async upload(media: TakenMedia): Promise<string> {
    checkForm(media);
    const mediaId = await (media.kind === 'photo' ? this.#uploadAtOnce(media) : this.#uploadSegments(media));
    await this.#kinds.save(mediaId, media.kind, this.call);
    return mediaId;
  }

  async describe(mediaId: string, altText: string): Promise<void> {
    checkAltText(altText);
    const body = { id: mediaId, metadata: { alt_text: { text: altText } } };
    const request = { operation: writes.createMediaMetadata, body, subject: aMedia(mediaId), part: mediaId };
    await this.write(request, () => undefined);
  }

  /** Returns the kind of an upload of the last 24 hours. Throws `not_found` for any other id. */
  async kindOf(mediaId: string): Promise<string> {
    const kind = await this.#kinds.findOwn(mediaId, this.call);
    if (kind === null) throw subjectNotFound(aMedia(mediaId));
    return kind;
  }

  #uploadAtOnce(media: TakenMedia): Promise<string> {
    const bytes = formOf({ media_category: 'tweet_image' }, media, 0, media.size);
    return this.write({ operation: writes.mediaUpload, bytes }, readId);
  }

  async #uploadSegments(media: TakenMedia): Promise<string> {
    const left = timeLeft(this.parts, media.size);
    const body = { media_type: media.type, media_category: categories[media.kind], total_bytes: media.size };
    const begin = { operation: writes.initializeMediaUpload, body };
    const mediaId = await this.write(begin, readId);
    const [ids, subject] = [[mediaId], aMedia(mediaId)];
    for (let at = 0, index = 0; at < media.size; at += segmentBytes, index += 1) {
      const bytes = formOf({ segment_index: String(index) }, media, at, Math.min(at + segmentBytes, media.size));
      const append = { operation: writes.appendMediaUpload, ids, bytes, subject, part: `${mediaId} ${index}` };
      await this.write({ ...append, mostMs: left() }, () => undefined);
    }
    const finalize = { operation: writes.finalizeMediaUpload, ids, subject, part: mediaId };
    const info = await this.write(finalize, processingOf);
    await this.#processed(mediaId, info);
    return mediaId;
  }

  /** Waits until X has processed the media. */
  async #processed(mediaId: string, begun: Processing): Promise<void> {
    const { runtime } = this.parts;
    const until = runtime.now() + maxProcessingMs;
    for (let info = begun; ; ) {
      if (info.state === 'succeeded') return;
      if (info.state === 'failed') {
        const reason = info.reason && `: ${info.reason}`;
        throw new PosternError('malformed_field', `The platform cannot process this media${reason}`);
      }
      const waitMs = Math.min(maxCheckSecs, Math.max(1, info.seconds)) * 1_000;
      if (runtime.now() + waitMs > until)
        throw new PosternError('platform_timeout', 'The platform did not process the media in time');
      await sleep(runtime, waitMs);
      const query = { media_id: mediaId, command: 'STATUS' };
      const request = { operation: operations.getMediaUploadStatus, query, subject: aMedia(mediaId) };
      info = await this.get(request, ({ data }) => processingOf(object(data, 'data')));
    }
  }
}

/** Returns a function that returns the time left for an upload in segments, in milliseconds. It throws when the time is over. */
export function timeLeft({ client, runtime }: Pick<SessionParts, 'client' | 'runtime'>, bytes: number): () => number {
  const until = runtime.now() + client.uploadMs + (bytes / leastRate) * 1_000;
  return () => {
    const left = until - runtime.now();
    if (left <= 0) throw new PosternError('platform_timeout', 'The platform did not take the media in time');
    return left;
  };
}

/** Refuses media that X would refuse after it was sent. */
function checkForm({ kind, width, height, durationMs }: TakenMedia): void {
  if (kind === 'gif' && ((width ?? 0) > maxGif.width || (height ?? 0) > maxGif.height))
    throw mediaRefused(`a GIF has at most ${maxGif.width} x ${maxGif.height} pixels`);
  if (kind === 'video' && durationMs !== null && (durationMs < videoMs.min || durationMs > videoMs.max))
    throw mediaRefused(`a video lasts from ${videoMs.min / 1_000} to ${videoMs.max / 1_000} seconds`);
}

export function checkAltText(altText: string): void {
  if (altText.length > maxAltText)
    throw malformedField('media_alt_texts', `must have at most ${maxAltText} characters each on this platform`);
}

export const aMedia = (mediaId: string) => ({ kind: 'Media', id: mediaId }) as const;

function readId(data: Wire): string {
  return id(data.id, 'id');
}

const none: Wire = {};

/** `seconds` is when X wants to be asked again. */
interface Processing {
  state: string;
  seconds: number;
  /** Why X cannot process the media; empty if X does not say. */
  reason: string;
}

/** Media that need no processing have no state. */
function processingOf(data: Wire): Processing {
  const info = optional(object, data.processing_info, 'processing_info', none);
  const { state, check_after_secs: seconds } = info;
  const { message } = optional(object, info.error, 'error', none);
  return {
    state: optional(text, state, 'state', 'succeeded'),
    seconds: optional(readCount, seconds, 'check_after_secs', 1),
    reason: optional(text, message, 'message', '').slice(0, maxReason),
  };
}

/** Returns a form (RFC 7578) with the bytes of a file from `from` to `to`. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  { type, open }: { type: string; open(from: number, to: number): Readable },
  from: number,
  to: number,
) {
  const boundary = `postern-${randomUUID()}`;
  const part = (name: string, more: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name, '')}${value}\r\n`);
  const head = Buffer.from(`${texts.join('')}${part('media', `; filename="media"\r\ncontent-type: ${type}`)}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: head.length + (to - from) + tail.length,
    open: () => Readable.from(joined(head, open(from, to), tail), { objectMode: false }),
  };
}

async function* joined(head: Buffer, file: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* file;
  yield tail;
}
