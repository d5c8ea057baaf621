import type { RandomBytes } from './p256.ts';
import { chunkOverhead, SecretStream, streamHeaderLength, streamTags } from './secretstream.ts';

/** The size of a chunk before encryption, as in the official SDK (0.4.3). The last chunk may be shorter. */
const chunkLength = 1_024;

/**
 * Encrypts a file with the conversation key in bounded memory. The last chunk is marked, so that its readers detect a
 * truncation. An empty file is refused, because its encrypted form would look like a file that was truncated to nothing.
 */
export async function* sealMedia(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  key: Uint8Array,
  randomBytes: RandomBytes,
): AsyncGenerator<Uint8Array> {
  const header = Uint8Array.from(randomBytes(streamHeaderLength));
  const stream = new SecretStream(key, header);
  yield header;
  let waiting = new Uint8Array(0);
  for await (const bytes of file) {
    const { whole, rest } = splitChunks(waiting, bytes);
    waiting = rest;
    if (whole.length > 0) yield concat(whole.map((chunk) => stream.seal(chunk, streamTags.message)));
  }
  if (waiting.length === 0) throw new RangeError('an empty file cannot be sealed');
  yield stream.seal(waiting, streamTags.final);
}

/** Returns the size of a file after `sealMedia`. */
export function sealedSize(size: number): number {
  return streamHeaderLength + size + Math.ceil(size / chunkLength) * chunkOverhead;
}

/**
 * Splits bytes into whole chunks and a rest. The last bytes always stay in the rest, because the final chunk is known
 * only at the end of the file.
 */
function splitChunks(waiting: Uint8Array, bytes: Uint8Array) {
  const all = concat([waiting, bytes]);
  const whole: Uint8Array[] = [];
  let start = 0;
  for (; all.length - start > chunkLength; start += chunkLength) whole.push(all.subarray(start, start + chunkLength));
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
