import type { RandomBytes } from './p256.ts';
import { chunkOverhead, SecretStream, streamHeaderLength, streamTags } from './secretstream.ts';

/** The size of a chunk before encryption, as in the official SDK (0.4.3). The last chunk may be shorter. */
const chunkLength = 1_024;
const sealedChunkLength = chunkLength + chunkOverhead;

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Thrown when encrypted media was truncated, reordered, changed, replaced, or encrypted with another key. */
export class MediaCorruptError extends Error {
  override readonly name = 'MediaCorruptError';
}

/**
 * Encrypts a file with the conversation key in bounded memory. The last chunk is marked, so that truncation is
 * detected. An empty file is refused, because its encrypted form would look like a file that was truncated to nothing.
 */
export async function* sealMedia(file: Bytes, key: Uint8Array, randomBytes: RandomBytes): AsyncGenerator<Uint8Array> {
  const header = Uint8Array.from(randomBytes(streamHeaderLength));
  const stream = new SecretStream(key, header);
  yield header;
  let waiting = new Uint8Array(0);
  for await (const bytes of file) {
    const { whole, rest } = splitChunks(waiting, bytes, chunkLength);
    waiting = rest;
    if (whole.length > 0) yield concat(whole.map((chunk) => stream.seal(chunk, streamTags.message)));
  }
  if (waiting.length === 0) throw new RangeError('an empty file cannot be sealed');
  yield stream.seal(waiting, streamTags.final);
}

/**
 * Decrypts the output of `sealMedia` in bounded memory. Throws `MediaCorruptError`, possibly after it has yielded part of
 * the file.
 */
export async function* openMedia(sealed: Bytes, key: Uint8Array): AsyncGenerator<Uint8Array> {
  let stream: SecretStream | undefined;
  let waiting = new Uint8Array(0);
  for await (const bytes of sealed) {
    let rest: Uint8Array = bytes;
    if (stream === undefined) {
      const start = concat([waiting, bytes]);
      waiting = start;
      if (start.length < streamHeaderLength) continue;
      stream = new SecretStream(key, start);
      rest = start.subarray(streamHeaderLength);
      waiting = new Uint8Array(0);
    }
    const { whole, rest: left } = splitChunks(waiting, rest, sealedChunkLength);
    waiting = left;
    const opening = stream;
    if (whole.length > 0) yield concat(whole.map((chunk) => openChunk(opening, chunk, streamTags.message)));
  }
  if (stream === undefined || waiting.length === 0) throw new MediaCorruptError('sealed media ends too soon');
  yield openChunk(stream, waiting, streamTags.final);
}

function openChunk(stream: SecretStream, chunk: Uint8Array, expectedTag: number): Uint8Array {
  const opened = stream.open(chunk);
  if (opened === undefined) throw new MediaCorruptError('sealed media was altered, or sealed with another key');
  if (opened.tag !== expectedTag) throw new MediaCorruptError('sealed media does not end where its sender ended it');
  return opened.plain;
}

/** Returns the size of a file after `sealMedia`. */
export function sealedSize(size: number): number {
  return streamHeaderLength + size + Math.ceil(size / chunkLength) * chunkOverhead;
}

/**
 * Splits bytes into whole chunks and a rest. The last bytes always stay in the rest, because the final chunk is known
 * only at the end of the file.
 */
function splitChunks(
  waiting: Uint8Array,
  bytes: Uint8Array,
  length: number,
): { whole: Uint8Array[]; rest: Uint8Array<ArrayBuffer> } {
  const all = concat([waiting, bytes]);
  const whole: Uint8Array[] = [];
  let start = 0;
  for (; all.length - start > length; start += length) whole.push(all.subarray(start, start + length));
  return { whole, rest: all.slice(start) };
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
