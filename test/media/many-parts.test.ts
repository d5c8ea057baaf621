import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { inspectImage } from '../../src/media/inspect-image.ts';
import { MediaError } from '../../src/media/media-error.ts';
import { jpeg, png, webp } from './pictures.ts';

/** Inserts empty parts into an image at a position where they have no effect. */
function padded(picture: Buffer, at: number, part: Buffer, parts: number): Buffer {
  return Buffer.concat([picture.subarray(0, at), ...Array<Buffer>(parts).fill(part), picture.subarray(at)]);
}

const emptyChunk = Buffer.alloc(12);
emptyChunk.write('teXt', 4, 'latin1');
emptyChunk.writeUInt32BE(crc32(emptyChunk.subarray(4, 8)), 8);

const makers: [type: string, make: (parts: number) => Buffer][] = [
  ['image/png', (parts) => padded(png(), 33, emptyChunk, parts)],
  ['image/jpeg', (parts) => padded(jpeg, 2, Buffer.from([0xff, 0xe1, 0, 2]), parts)],
  [
    'image/webp',
    (parts) => {
      const made = padded(webp, webp.length, Buffer.from('EXIF\0\0\0\0', 'latin1'), parts);
      made.writeUInt32LE(made.length - 8, 4);
      return made;
    },
  ],
];

test.each(makers)('%s with thousands of parts is accepted, and with hundreds of thousands refused', (type, make) => {
  expect(inspectImage(make(5_000), type).width).toBeGreaterThan(0);
  expect(() => inspectImage(make(400_000), type)).toThrow(new MediaError('is an image of more than 10,000 parts'));
});
