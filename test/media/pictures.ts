import { crc32, deflateSync } from 'node:zlib';

/** Small valid files that are built by hand, so that each byte is known. */

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns an 8-bit greyscale image in which each row has another shade. */
export function png(width = 40, height = 30, { filler = 0 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(Math.min(height, 2_000) * (Math.min(width, 2_000) + 1));
  for (let at = 0; at < rows.length; at++) rows[at] = at % (Math.min(width, 2_000) + 1) === 0 ? 0 : at % 251;
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header),
    ...(filler > 0 ? [chunk('teXt', Buffer.alloc(filler, 'x'))] : []),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** 8 by 8 pixels, baseline. */
export const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z',
  'base64',
);

/** Returns a JPEG segment. */
export function segment(marker: number, ...content: (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat([
    Buffer.of(0xff, marker, 0, 0),
    ...content.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  ]);
  bytes.writeUInt16BE(bytes.length - 2, 2);
  return bytes;
}

/** Returns a TIFF structure (JEITA CP-3451, section 4.5.4). Its last entry is the orientation, and `text` follows the entries. */
export function tiff(orientation: number, entries = 1, text = ''): Buffer {
  const content = Buffer.alloc(14 + 12 * entries);
  content.write('MM\0*\0\0\0\x08', 'latin1');
  content.writeUInt16BE(entries, 8);
  const last = 10 + 12 * (entries - 1);
  content.writeUInt16BE(274, last);
  content.writeUInt16BE(3, last + 2);
  content.writeUInt32BE(1, last + 4);
  content.writeUInt16BE(orientation, last + 8);
  return Buffer.concat([content, Buffer.from(text, 'latin1')]);
}

/** `jpeg` with Exif data: an orientation, the GPS position and the camera. */
export const geotagged = Buffer.concat([
  jpeg.subarray(0, 20),
  segment(0xe1, 'Exif\0\0', tiff(6, 3, 'GPS 52.37 4.89, Canon')),
  jpeg.subarray(20),
]);

/** `geotagged` as uploaded to the platform, with the orientation only. */
export const cleaned = Buffer.concat([jpeg.subarray(0, 20), segment(0xe1, 'Exif\0\0', tiff(6)), jpeg.subarray(20)]);

/** 1 by 1 pixel. */
export const gif = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

/** 1 by 1 pixel, lossless. */
export const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');

export const svg = Buffer.from(
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>\n',
);

function box(type: string, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(bytes.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, bytes]);
}

export interface Film {
  width?: number;
  height?: number;
  seconds?: number;
  /** The size of the frames, which contain no real video data. */
  bytes?: number;
  brand?: string;
}

/** Returns the part of an MP4 file before the frames, beginning with `moov`. The frames can be any bytes. */
export function mp4Start({ width = 640, height = 360, seconds = 5, bytes = 1_000, brand = 'isom' }: Film = {}): Buffer {
  const movie = Buffer.alloc(100);
  movie.writeUInt32BE(1_000, 12);
  movie.writeUInt32BE(seconds * 1_000, 16);
  const track = Buffer.alloc(84);
  track.writeInt32BE(0x10000, 40);
  track.writeInt32BE(0x10000, 56);
  track.writeUInt32BE(width * 65_536, 76);
  track.writeUInt32BE(height * 65_536, 80);
  const handler = Buffer.alloc(24);
  handler.write('vide', 8, 'latin1');
  const trak = box('trak', box('tkhd', track), box('mdia', box('hdlr', handler)));
  const data = Buffer.alloc(8);
  data.writeUInt32BE(bytes + 8);
  data.write('mdat', 4, 'latin1');
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}mp41`, 'latin1')),
    box('moov', box('mvhd', movie), trak),
    data,
  ]);
}

export function mp4(film: Film = {}): Buffer {
  return Buffer.concat([mp4Start(film), Buffer.alloc(film.bytes ?? 1_000, 7)]);
}
