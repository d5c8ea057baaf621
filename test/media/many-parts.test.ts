import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inspectImage } from '../../src/media/inspect-image.ts';
import { MediaError } from '../../src/media/media-error.ts';
import { expectQuick } from '../support/processor-time.ts';
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

/** Returns an Exif segment (JEITA CP-3451, section 4.5.4) with as many entries, the last of which is the orientation. */
function exif(entries: number, orientation: number): Buffer {
  const content = Buffer.alloc(16 + 12 * entries);
  content.write('Exif\0\0MM\0*\0\0\0\x08', 'latin1');
  content.writeUInt16BE(entries, 14);
  const last = content.length - 12;
  content.writeUInt16BE(274, last);
  content.writeUInt16BE(3, last + 2);
  content.writeUInt32BE(1, last + 4);
  content.writeUInt16BE(orientation, last + 8);
  const head = Buffer.of(0xff, 0xe1, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

describe('a JPEG', () => {
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  const wide = Buffer.from(jpeg);
  wide.writeUInt16BE(16, frame + 7);
  const withParts = (...parts: Buffer[]) => Buffer.concat([wide.subarray(0, 2), ...parts, wide.subarray(2)]);
  const inspect = (bytes: Buffer) => inspectImage(bytes, 'image/jpeg');

  test('is turned by its orientation', () => {
    expect(inspect(wide)).toEqual({ width: 16, height: 8 });
    expect(inspect(withParts(exif(1, 6)))).toEqual({ width: 8, height: 16 });
  });

  test('is inspected quickly with 70 Exif segments, and with fill bytes before a marker', async () => {
    const segments = withParts(...Array.from({ length: 70 }, () => exif(5_000, 6)));
    await expectQuick(200, () => expect(inspect(segments)).toEqual({ width: 8, height: 16 }));
    // A reader that does not expect the fill byte takes 0x02ff as the length of the segment, and searches what follows.
    const filler = Buffer.concat([Buffer.of(0xff, 0xff, 0x02, 0xff, 0xff), Buffer.alloc(65_533)]);
    filler[2 + 0x02ff] = 0xff;
    const filled = withParts(...Array.from({ length: 70 }, () => filler));
    await expectQuick(200, () => expect(inspect(filled)).toEqual({ width: 16, height: 8 }));
  });
});
