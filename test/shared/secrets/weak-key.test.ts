import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { weaknessOf } from '../../../src/shared/secrets/weak-key.ts';

const text = (value: string) => Buffer.alloc(32, value);

test.each<[string, Buffer, RegExp]>([
  ['32 equal bytes', Buffer.alloc(32, 0xa5), /equal/],
  ['32 zeros', Buffer.alloc(32), /equal/],
  ['a pattern of two bytes', Buffer.alloc(32, Buffer.from([0x12, 0xf4])), /repeats 2 bytes/],
  [
    'a pattern of sixteen bytes',
    Buffer.concat([Buffer.from([0, ...randomBytes(15)]), Buffer.alloc(0)].flatMap((part) => [part, part])),
    /repeats 16 bytes/,
  ],
  ['a pattern that is cut off', Buffer.alloc(32, Buffer.from([1, 2, 3, 200, 5])), /repeats 5 bytes/],
  ['counted bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), /sequence/],
  [
    'bytes counted down beyond zero',
    Buffer.from(Array.from({ length: 32 }, (_, i) => (10 - i + 256) % 256)),
    /sequence/,
  ],
  [
    'few different bytes',
    Buffer.from(Array.from({ length: 32 }, (_, i) => [0, 255, 7][(i * i) % 3] ?? 0)),
    /(different|repeats)/,
  ],
  ['a password', text('correct horse battery staple 123'), /text/],
  ['hexadecimal text', text(createHash('md5').update('x').digest('hex')), /text/],
  ['a password padded with zeros', Buffer.concat([Buffer.from('hunter2-hunter3-hunt'), Buffer.alloc(12)]), /padded/],
])('refuses %s', (_name, key, reason) => {
  expect(key).toHaveLength(32);
  expect(weaknessOf(key)).toMatch(reason);
});

test('accepts random keys', () => {
  for (let i = 0; i < 10_000; i++) expect(weaknessOf(randomBytes(32))).toBeNull();
});
