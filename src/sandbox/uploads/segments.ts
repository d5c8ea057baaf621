import type { Fields } from '../fields.ts';
import { badRequest } from '../refusal.ts';
import type { UploadFiles } from './files.ts';

/** The bytes of an upload that arrive in several requests. They are lost when the process ends. */
export interface Segments {
  readonly totalBytes: number;
  readonly startedAt: number;
  /** The name of the file with the bytes so far. */
  readonly part: string;
  bytes: number;
  /** The index of the next segment. */
  next: number;
  /** Resolves when the last segment is written. Segments are written one after the other. */
  written: Promise<void>;
}

export interface Segment {
  readonly index: number;
  readonly bytes: Buffer;
}

/** The greatest JSON body: a segment or a picture of 5 MiB, as base64. */
export const maxJsonBytes = 8 * 1024 * 1024;
const maxSegment = 999;

export function noSegments(name: string, totalBytes: number, startedAt: number): Segments {
  return { totalBytes, startedAt, part: `.part-${name}`, bytes: 0, next: 0, written: Promise.resolve() };
}

export function segmentIn(body: Fields): Segment {
  const index = Number(body['segment_index'] ?? Number.NaN);
  if (!Number.isInteger(index) || index < 0 || index > maxSegment)
    throw badRequest('segment_index', `The \`segment_index\` must be from 0 to ${maxSegment}`);
  return { index, bytes: bytesIn(body) };
}

/** Returns the bytes of a form, or those in the base64 of JSON. */
export function bytesIn({ media }: Fields): Buffer {
  const bytes = typeof media === 'string' ? Buffer.from(media, 'base64') : media;
  if (Buffer.isBuffer(bytes) && bytes.length > 0) return bytes;
  throw badRequest('media', 'The `media` is empty');
}

/** Writes a segment, unless it has arrived before. */
export async function addSegment(files: UploadFiles, to: Segments, { index, bytes }: Segment): Promise<void> {
  const writing = to.written.then(async () => {
    if (index > to.next) throw badRequest('segment_index', `The \`segment_index\` must be ${to.next}`);
    if (index < to.next) return;
    if (to.bytes + bytes.length > to.totalBytes) throw badRequest('media', 'The media is larger than `total_bytes`');
    await files.append(to.part, to.bytes, bytes);
    to.next += 1;
    to.bytes += bytes.length;
  });
  to.written = writing.catch(() => {});
  await writing;
}
