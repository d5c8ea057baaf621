import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const SAME = 0;
const AS_ABOVE = 2;
const TONES = 16;

/** Draws a mosaic of two colours. The same label always gives the same picture. */
export function mosaic(label: string, width: number, height: number): Buffer {
  const digest = createHash('sha256').update(label).digest();
  const cell = Math.max(8, Math.round(Math.max(width, height) / 12));
  // Two pixels per byte. Rows in the same row of cells are equal, so they are built once and compress well.
  const stride = Math.ceil(width / 2);
  const raw = Buffer.alloc(height * (stride + 1));
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    if (y % cell !== 0) {
      raw[start] = AS_ABOVE;
      continue;
    }
    raw[start] = SAME;
    const row = Math.floor(y / cell);
    for (let x = 0; x < width; x++) {
      const column = Math.floor(x / cell);
      const slope = ((x / width + y / height) / 2) * (TONES - 4);
      const noise = (digest[(column * 7 + row * 13) % digest.length] ?? 0) % 5;
      const tone = Math.min(TONES - 1, Math.floor(slope) + noise);
      const at = start + 1 + (x >> 1);
      raw[at] = (raw[at] ?? 0) | (x % 2 === 0 ? tone << 4 : tone);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bit depth 4, colour type 3 (palette).
  header.set([4, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette(digest)),
    chunk('IDAT', deflateSync(raw, { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function palette(digest: Buffer): Buffer {
  const from = colour(digest, 0);
  const to = colour(digest, 3);
  const tones = Array.from({ length: TONES }, (_, tone) =>
    from.map((value, part) => Math.round(value + (((to[part] ?? 0) - value) * tone) / (TONES - 1))),
  );
  return Buffer.from(tones.flat());
}

/** Returns a colour that is neither very bright nor very dark. */
function colour(digest: Buffer, at: number): number[] {
  return [0, 1, 2].map((part) => 50 + ((digest[at + part] ?? 0) % 180));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
