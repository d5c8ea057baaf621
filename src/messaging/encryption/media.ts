import { createHash, type Hash } from 'node:crypto';
import type { RandomBytes } from './p256.ts';
import { chunkOverhead, SecretStream, streamHeaderLength, streamTags } from './secretstream.ts';

/** Plain bytes in a chunk; the last one may be shorter. As the official SDK (0.4.3) cuts files. */
const chunkLength = 1_024;
const sealedChunkLength = chunkLength + chunkOverhead;

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Sealed media that was cut short, put in another order, altered, swapped, or sealed with another key. */
export class MediaCorrupt extends Error {
  override readonly name = 'MediaCorrupt';
}

/**
 * Seals a file with the conversation's key, in bounded memory. The end is sealed too, so that a missing one is noticed. An
 * empty file is refused: the scheme gives it no end, so that any file cut to nothing would look like it.
 */
export async function* sealMedia(file: Bytes, key: Uint8Array, randomBytes: RandomBytes): AsyncGenerator<Uint8Array> {
  const header = Uint8Array.from(randomBytes(streamHeaderLength));
  const stream = new SecretStream(key, header);
  yield header;
  let waiting = new Uint8Array(0);
  for await (const bytes of file) {
    const { whole, rest } = cut(waiting, bytes, chunkLength);
    waiting = rest;
    if (whole.length > 0) yield concat(whole.map((chunk) => stream.seal(chunk, streamTags.message)));
  }
  if (waiting.length === 0) throw new RangeError('an empty file cannot be sealed');
  yield stream.seal(waiting, streamTags.final);
}

/**
 * Opens what `sealMedia` made, in bounded memory. Throws `MediaCorrupt`, and what it yielded before that is not the whole
 * file. Given the `mediaHashKey` out of the message, it sees to it that these are the bytes that the message means, and not
 * another file of the same conversation.
 */
export async function* openMedia(sealed: Bytes, key: Uint8Array, mediaHashKey?: string): AsyncGenerator<Uint8Array> {
  const hash = new MediaHash();
  let stream: SecretStream | undefined;
  let waiting = new Uint8Array(0);
  for await (const bytes of sealed) {
    hash.update(bytes);
    let rest: Uint8Array = bytes;
    if (stream === undefined) {
      const start = concat([waiting, bytes]);
      waiting = start;
      if (start.length < streamHeaderLength) continue;
      stream = new SecretStream(key, start);
      rest = start.subarray(streamHeaderLength);
      waiting = new Uint8Array(0);
    }
    const { whole, rest: left } = cut(waiting, rest, sealedChunkLength);
    waiting = left;
    const opening = stream;
    if (whole.length > 0) yield concat(whole.map((chunk) => openChunk(opening, chunk, streamTags.message)));
  }
  if (stream === undefined || waiting.length === 0) throw new MediaCorrupt('sealed media ends too soon');
  const last = openChunk(stream, waiting, streamTags.final);
  const isMeant = mediaHashKey === undefined || hash.key() === mediaHashKey;
  if (!isMeant) throw new MediaCorrupt('these are not the bytes that the message means');
  yield last;
}

function openChunk(stream: SecretStream, chunk: Uint8Array, expectedTag: number): Uint8Array {
  const opened = stream.open(chunk);
  if (opened === undefined) throw new MediaCorrupt('sealed media was altered, or sealed with another key');
  if (opened.tag !== expectedTag) throw new MediaCorrupt('sealed media does not end where its sender ended it');
  return opened.plain;
}

/** How many bytes `sealMedia` makes of a file. */
export function sealedSize(size: number): number {
  return streamHeaderLength + size + Math.ceil(size / chunkLength) * chunkOverhead;
}

/**
 * The `media_hash_key` of sealed bytes: base64url of their SHA-256. The official SDK leaves the choice to the platform; a hash
 * makes the name a proof, since the message that carries it is signed.
 */
export class MediaHash {
  readonly #hash: Hash = createHash('sha256');

  update(sealed: Uint8Array): void {
    this.#hash.update(sealed);
  }

  /** Once, at the end. */
  key(): string {
    return this.#hash.digest('base64url');
  }
}

export function mediaHashKey(sealed: Uint8Array): string {
  const hash = new MediaHash();
  hash.update(sealed);
  return hash.key();
}

/** Whole chunks that something comes after, and what is left: the last chunk is only known by the end. */
function cut(
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
