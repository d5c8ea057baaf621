import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inspectImage } from '../../src/media/inspect-image.ts';
import { MediaError } from '../../src/media/media-error.ts';
import { expectQuick } from '../support/processor-time.ts';
import { jpeg, png, segment, tiff, webp } from './pictures.ts';

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

test.each(makers)(
  '%s: accepts thousands of parts, and throws MediaError for hundreds of thousands',
  async (_type, make) => {
    expect((await inspectImage(make(5_000))).width).toBeGreaterThan(0);
    await expect(inspectImage(make(400_000))).rejects.toThrow(new MediaError('is an image of more than 10,000 parts'));
  },
);

test.each([
  ['VP8X', '000000001f0300570200'],
  ['VP8L', '2f1fc395000000000000'],
  ['VP8 ', '3001009d012a20035802'],
])('a WebP that begins with %s has the size of that chunk', async (type, data) => {
  const first = Buffer.concat([Buffer.from(`RIFF0000WEBP${type}\x0a\0\0\0`, 'latin1'), Buffer.from(data, 'hex')]);
  const picture = Buffer.concat([first, webp.subarray(12)]);
  picture.writeUInt32LE(picture.length - 8, 4);
  expect(await inspectImage(picture)).toMatchObject({ width: 800, height: 600 });
});

describe('a JPEG', () => {
  test('lets other work run while millions of markers without data are read', async () => {
    const markers = Buffer.alloc(10_000_001, Buffer.of(0xff, 0xd0));
    // The fill byte moves each marker to an odd position.
    const picture = Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff), markers]);
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    await expect(inspectImage(picture)).rejects.toThrow(MediaError);
    expect(hasRun).toBe(true);
  });

  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  const wide = Buffer.from(jpeg);
  wide.writeUInt16BE(16, frame + 7);
  const withParts = (...parts: Buffer[]) => Buffer.concat([wide.subarray(0, 2), ...parts, wide.subarray(2)]);
  const exif = (entries: number, orientation: number) => segment(0xe1, 'Exif\0\0', tiff(orientation, entries));

  test('is turned by its orientation', async () => {
    expect(await inspectImage(wide)).toMatchObject({ width: 16, height: 8 });
    expect(await inspectImage(withParts(exif(1, 6)))).toMatchObject({ width: 8, height: 16 });
  });

  test('is inspected quickly with 70 Exif segments, and with fill bytes before a marker', async () => {
    const segments = withParts(...Array.from({ length: 70 }, () => exif(5_000, 6)));
    await expectQuick(200, async () => expect(await inspectImage(segments)).toMatchObject({ width: 8, height: 16 }));
    // A reader that does not expect the fill byte takes 0x02ff as the length of the segment, and searches what follows.
    const filler = Buffer.concat([Buffer.of(0xff, 0xff, 0x02, 0xff, 0xff), Buffer.alloc(65_533)]);
    filler[2 + 0x02ff] = 0xff;
    const filled = withParts(...Array.from({ length: 70 }, () => filler));
    await expectQuick(200, async () => expect(await inspectImage(filled)).toMatchObject({ width: 16, height: 8 }));
  });
});
