import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sealedSize, sealMedia } from '../../../src/messaging/encryption/index.ts';
import { collect } from './pieces.ts';

const key = randomBytes(32);

describe('encrypted media', () => {
  test('is never empty, because an empty file would have no authenticated end', async () => {
    await expect(collect(sealMedia([Buffer.alloc(0)], key, randomBytes))).rejects.toThrow('empty');
  });

  test('is made chunk by chunk, in constant memory', async () => {
    const pieceLength = 65_536;
    const pieceCount = 512;
    let [most, length] = [0, 0];
    async function* pieces() {
      for (let i = 0; i < pieceCount; i += 1) yield Buffer.alloc(pieceLength, i);
    }
    for await (const piece of sealMedia(pieces(), key, randomBytes)) {
      most = Math.max(most, piece.length);
      length += piece.length;
    }
    expect(length).toBe(sealedSize(pieceLength * pieceCount));
    expect(most).toBeLessThanOrEqual(sealedSize(pieceLength) + 1_041);
  });
});
