import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MediaCorrupt, openMedia, sealMedia } from '../../../src/messaging/encryption/index.ts';
import { collect, inPieces } from './pieces.ts';

const key = randomBytes(32);
const file = randomBytes(3_500);
const headerLength = 24;
const chunkLength = 1_041;

const seal = (plain: Uint8Array) => collect(sealMedia([plain], key, randomBytes));
const open = (sealed: Uint8Array) => collect(openMedia([sealed], key));
const corrupt = (sealed: Uint8Array) => expect(open(sealed)).rejects.toThrow(MediaCorrupt);

/** Returns the header and each chunk. */
function parts(sealed: Buffer): Buffer[] {
  const chunks = [sealed.subarray(0, headerLength)];
  for (let start = headerLength; start < sealed.length; start += chunkLength) {
    chunks.push(sealed.subarray(start, start + chunkLength));
  }
  return chunks;
}

describe('encrypted media', () => {
  test('is decrypted to the same bytes, in pieces of any length', async () => {
    const sealed = await collect(sealMedia(inPieces(file), key, randomBytes));
    expect((await collect(openMedia(inPieces(sealed), key))).equals(file)).toBe(true);
    const single = Array.from(sealed, (byte) => Uint8Array.of(byte));
    expect((await collect(openMedia(single, key))).equals(file)).toBe(true);
  });

  test('is refused if it is truncated anywhere, also between chunks', async () => {
    const sealed = await seal(file);
    const seams = parts(sealed).map((_, i) => headerLength + i * chunkLength);
    const within = [0, 1, 23, 25, 24 + 17, 2_000, sealed.length - 1];
    for (const length of [...within, ...seams.filter((at) => at < sealed.length)]) {
      await corrupt(sealed.subarray(0, length));
    }
  });

  test('is refused if it has bytes after its end, or if a chunk is missing, repeated or moved', async () => {
    const sealed = await seal(file);
    const [header, a, b, c, d] = parts(sealed) as [Buffer, Buffer, Buffer, Buffer, Buffer];
    await expect(open(Buffer.concat([header, a, b, c, d]))).resolves.toEqual(file);
    const orders = [
      [header, b, a, c, d],
      [header, a, c, d],
      [header, a, a, b, c, d],
      [header, b, c, d],
      [header, d],
      [header, a, b, c, d, d],
      [header, a, b, c, d, Buffer.alloc(chunkLength)],
      [header, a, b, c, Buffer.concat([d, Buffer.of(0)])],
      [a, header, b, c, d],
    ];
    for (const order of orders) await corrupt(Buffer.concat(order));
  });

  test('with a full last chunk has no further chunk', async () => {
    const sealed = await seal(file.subarray(0, 2_048));
    await expect(open(sealed)).resolves.toHaveLength(2_048);
    await corrupt(Buffer.concat([sealed, sealed.subarray(headerLength)]));
    await corrupt(sealed.subarray(0, headerLength + chunkLength));
  });

  test('is refused if any bit is flipped', async () => {
    const sealed = await seal(file.subarray(0, 1_100));
    for (let at = 0; at < sealed.length; at += 1) {
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at);
      await corrupt(flipped);
    }
  });

  test('of another key is refused', async () => {
    await expect(collect(openMedia([await seal(file)], randomBytes(32)))).rejects.toThrow(MediaCorrupt);
  });

  test('is never empty, because an empty file would have no authenticated end', async () => {
    await expect(seal(Buffer.alloc(0))).rejects.toThrow('empty');
    await corrupt((await seal(file)).subarray(0, headerLength));
  });

  test('is encrypted and decrypted chunk by chunk, in constant memory', async () => {
    const pieceLength = 65_536;
    const pieceCount = 512;
    let [most, length] = [0, 0];
    async function* pieces() {
      for (let i = 0; i < pieceCount; i += 1) yield Buffer.alloc(pieceLength, i);
    }
    for await (const piece of openMedia(sealMedia(pieces(), key, randomBytes), key)) {
      most = Math.max(most, piece.length);
      length += piece.length;
    }
    expect(length).toBe(pieceLength * pieceCount);
    expect(most).toBeLessThanOrEqual(pieceLength + chunkLength);
  });
});
