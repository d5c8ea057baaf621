import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { metadataEdits } from '../../src/media/inspect-image.ts';
import { MediaService } from '../../src/media/media-service.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import type { MediaKind } from '../../src/shared/model/taken-media.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { expectQuick } from '../support/processor-time.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chunk, gif, jpeg, png, pngSignature, segment, tiff, webp } from './pictures.ts';

const folder = temporaryFolder();
const guard = new OutboundGuard({ runtime });
const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_000, timeoutMs: 1_000 });
const media = new MediaService({ guard, proxies, runtime, folder, largest: sandboxCapabilities.limits.mediaBytes });
afterAll(() => media.close());
const uploader = media.uploader({ account: 'ada', proxy: null, signal: new AbortController().signal });

/** Returns the bytes that are uploaded to the platform. */
async function passed(bytes: Buffer, kinds: readonly MediaKind[], keepMetadata = false): Promise<Buffer> {
  const source = { base64: bytes.toString('base64'), declaredType: null };
  const taken = await uploader.take(source, { field: 'media_data', kinds, keepMetadata });
  try {
    const read = Buffer.concat(await taken.open().toArray());
    expect(taken.size).toBe(read.length);
    return read;
  } finally {
    await taken.discard();
  }
}

/** A part of an image file, and the bytes of it that remain without metadata. */
type Part = readonly [given: Buffer, left: Buffer];
const none = Buffer.alloc(0);
const kept = (bytes: Buffer): Part => [bytes, bytes];
const removed = (bytes: Buffer): Part => [bytes, none];
const given = (parts: readonly Part[]) => Buffer.concat(parts.map(([bytes]) => bytes));
const left = (parts: readonly Part[]) => Buffer.concat(parts.map(([, bytes]) => bytes));

const secret = 'GPS 52.37 4.89, Canon';
const long = secret.repeat(3_000);
/** Removes all Exif parts except the first, because decoders use the first. */
const withFirst = (parts: readonly Part[], exif: readonly Part[]) => {
  const first = parts.findIndex((part) => exif.includes(part));
  return parts.map((part, at) => (exif.includes(part) && at !== first ? removed(part[0]) : part));
};

const orientations = [1, 3, 6, 8];

interface Format {
  exif: readonly Part[];
  others: readonly Part[];
  /** Builds an image file from these parts and the required ones. */
  build: (parts: readonly Part[]) => Part;
}

const jpegExif = (text: Buffer) => segment(0xe1, 'Exif\0\0', text);
const scanAt = jpeg.indexOf(Buffer.of(0xff, 0xda));
const [tables, scan] = [jpeg.subarray(20, scanAt), jpeg.subarray(scanAt, -2)];
const restarts = Buffer.concat([scan, Buffer.of(0xff, 0xd0, 0x12, 0xff, 0x00, 0xff, 0xd7, 0x34)]);

function riff(content: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), content]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function webpChunk(type: string, data: string | Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.from(`${type}\0\0\0\0`), Buffer.from(data), Buffer.alloc(data.length % 2)]);
  bytes.writeUInt32LE(data.length, 4);
  return bytes;
}

const vp8x = (flags: number) => webpChunk('VP8X', Buffer.of(flags, 0, 0, 0, 0, 0, 0, 0, 0, 0));

const extension = (label: number, ...blocks: string[]) =>
  Buffer.concat([
    Buffer.of(0x21, label),
    ...blocks.map((block) => Buffer.concat([Buffer.of(block.length), Buffer.from(block, 'latin1')])),
    Buffer.of(0),
  ]);

const formats: Readonly<Record<string, Format>> = {
  JPEG: {
    exif: orientations.map((orientation) => [
      jpegExif(tiff(orientation, 3, long)),
      orientation === 1 ? none : jpegExif(tiff(orientation)),
    ]),
    others: [
      kept(segment(0xe2, 'ICC_PROFILE\0\x01\x02one')),
      kept(segment(0xe2, 'ICC_PROFILE\0\x02\x02two')),
      kept(segment(0xee, 'Adobe\0\x64\0\0\0\0\x01')),
      kept(segment(0xdd, '\0\x04')),
      removed(segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', secret)),
      [
        segment(0xe0, 'JFIF\0\x01\x02\0\0\x01\0\x01\x01\x07', secret),
        segment(0xe0, 'JFIF\0\x01\x02\0\0\x01\0\x01\0\0'),
      ],
      removed(segment(0xe0, 'JFXX\0\x10', secret)),
      removed(segment(0xe2, 'MPF\0', secret)),
      removed(segment(0xed, 'Photoshop 3.0\0', long)),
      removed(segment(0xe4, secret)),
      removed(segment(0xef, '')),
      removed(segment(0xfe, secret)),
      removed(Buffer.concat([Buffer.alloc(5, 0xff), segment(0xfe, secret)])),
    ],
    build: (parts) => {
      const between = [segment(0xfe, secret), segment(0xe1, 'XMP', secret)].map(removed);
      const start = [kept(jpeg.subarray(0, 20)), ...parts, kept(tables), kept(restarts)];
      const whole = [
        ...start,
        ...between,
        kept(restarts),
        kept(jpeg.subarray(-2)),
        removed(jpegExif(tiff(6, 1, secret))),
      ];
      return [given(whole), left(whole)];
    },
  },
  PNG: {
    exif: orientations.map((orientation) => [
      chunk('eXIf', tiff(orientation, 3, long)),
      orientation === 1 ? none : chunk('eXIf', tiff(orientation)),
    ]),
    others: [
      ...['gAMA', 'iCCP', 'cICP', 'sRGB', 'pHYs', 'tRNS', 'bKGD'].map((type) => kept(chunk(type, Buffer.from('1234')))),
      ...['tEXt', 'zTXt', 'iTXt', 'tIME', 'caBX', 'prVt'].map((type) => removed(chunk(type, Buffer.from(secret)))),
      removed(chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0${long}`))),
    ],
    build: (parts) => {
      const start = [kept(pngSignature), kept(png().subarray(8, 33)), ...parts, kept(png().subarray(33))];
      const whole = [...start, removed(Buffer.from(secret))];
      return [given(whole), left(whole)];
    },
  },
  WebP: {
    exif: orientations.flatMap((orientation) =>
      ['', 'Exif\0\0'].map(
        (header): Part => [
          webpChunk('EXIF', Buffer.concat([Buffer.from(header), tiff(orientation, 3, long)])),
          orientation === 1 ? none : webpChunk('EXIF', tiff(orientation)),
        ],
      ),
    ),
    others: [
      kept(webpChunk('ICCP', 'profile')),
      kept(webpChunk('ALPH', 'alpha')),
      removed(webpChunk('XMP ', secret)),
      removed(webpChunk('priv', long)),
    ],
    build: (parts) => {
      const rest = [...parts, kept(webp.subarray(12))];
      const isTurned = left(parts).includes('EXIF');
      const before = riff(Buffer.concat([vp8x(0x3c), given(rest)]));
      const after = riff(Buffer.concat([vp8x(isTurned ? 0x38 : 0x30), left(rest)]));
      return [Buffer.concat([before, Buffer.from(secret)]), after];
    },
  },
  GIF: {
    exif: [],
    others: [
      kept(extension(0xff, 'NETSCAPE2.0', '\x01\0\0')),
      kept(extension(0xff, 'ICCRGBG1012', 'profile')),
      kept(extension(0xf9, '\0\0\0\0')),
      removed(extension(0xff, 'XMP DataXMP', secret, secret)),
      removed(extension(0xff, 'PrivateApp1', secret)),
      removed(extension(0xfe, secret)),
    ],
    build: (parts) => {
      const start = [kept(gif.subarray(0, 19)), ...parts, kept(gif.subarray(19))];
      const whole = [...start, removed(Buffer.from(secret))];
      return [given(whole), left(whole)];
    },
  },
};

describe.each(Object.entries(formats))('metadata of a %s', (_name, { exif, others, build }) => {
  test('is removed in every order of parts, and all other bytes are kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...exif, ...others), { maxLength: 12 }), async (parts) => {
        const [before, after] = build(withFirst(parts, exif));
        expect((await passed(before, ['photo', 'gif'])).equals(after)).toBe(true);
        expect((await passed(before, ['file'])).equals(after)).toBe(true);
        expect((await passed(after, ['photo', 'gif'])).equals(after)).toBe(true);
        expect(after.includes('GPS') || after.includes('Canon')).toBe(false);
      }),
      { numRuns: repetitions(25, 200) },
    );
  });

  test('is kept with keep_metadata', async () => {
    const [before] = build([...others, ...exif]);
    for (const kind of ['photo', 'file'] as const) {
      expect((await passed(before, [kind, 'gif'], true)).equals(before)).toBe(true);
    }
  });
});

describe('a file that cannot be parsed', () => {
  const [jpegGiven] = formats['JPEG']?.build(formats['JPEG'].exif) ?? [none];
  const lying = Buffer.concat([pngSignature, png().subarray(8, 33), Buffer.from('\x7f\0\0\0eXIf')]);
  const start = jpeg.subarray(0, 20);

  test.each<[string, Buffer]>([
    ['a JPEG without its end', jpegGiven.subarray(0, -200)],
    [
      'a JPEG segment that is longer than the file',
      Buffer.concat([start, jpegExif(tiff(6, 1, secret)).subarray(0, -9)]),
    ],
    [
      'a JPEG segment that is shorter than it says',
      Buffer.concat([start, Buffer.from('\xff\xe1\0\x04Exif\0', 'latin1')]),
    ],
    ['metadata of a JPEG after damage', Buffer.concat([start, Buffer.alloc(70_000), segment(0xed, secret)])],
    ['a PNG chunk that is longer than the file', lying],
    ['a PNG whose private chunk is cut off', png(40, 30, { filler: 99 }).subarray(0, -20)],
    ['a WebP that is longer than the file', riff(webpChunk('EXIF', long)).subarray(0, -1)],
    ['a GIF without its end', Buffer.concat([gif.subarray(0, 19), extension(0xfe, secret)])],
  ])('is refused as an attachment: %s', async (_name, bytes) => {
    const refused = await passed(bytes, ['file']).then(String, (error: unknown) => error);
    expect(refused).toMatchObject({
      reason: 'metadata_not_removed',
      message: expect.stringMatching(
        /^Malformed field: media_data: is a .* remove the metadata, or send keep_metadata/,
      ),
    });
    expect((await passed(bytes, ['file'], true)).equals(bytes)).toBe(true);
  });

  test.each<[string, Buffer]>([
    ['JPEG', jpeg.subarray(0, -2)],
    ['PNG', png().subarray(0, -12)],
    ['WebP', webp.subarray(0, -4)],
    ['GIF', gif.subarray(0, -1)],
    ['text', Buffer.from(`Exif ${secret}`)],
  ])('passes unchanged as an attachment without metadata: %s', async (_name, bytes) => {
    expect((await passed(bytes, ['file'])).equals(bytes)).toBe(true);
  });
});

test('metadataEdits: scans the largest attachments quickly', async () => {
  const stuffed = Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(24e6, Buffer.of(0xff, 0)), jpeg.subarray(-2)]);
  const fill = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(24e6, 0xff), jpeg.subarray(3)]);
  const blocks = Buffer.concat([gif.subarray(0, -2), Buffer.alloc(24e6, Buffer.of(1, 7)), gif.subarray(-2)]);
  for (const bytes of [stuffed, fill, blocks]) {
    await expectQuick(2_000, async () => expect(await metadataEdits(bytes)).toEqual([]));
  }
});
