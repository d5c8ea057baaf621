import { crc32 } from 'node:zlib';
import { imageSize } from 'image-size';
import { MediaError } from './media-error.ts';
import { maxPixels, maxSide } from './types.ts';

export interface PictureSize {
  width: number;
  height: number;
}

const truncated = () => new MediaError('is a truncated image');
/**
 * The limit of segments in a picture, far above what encoders write. Without it, millions of empty segments would block
 * the event loop for half a second.
 */
const maxSegments = 10_000;
const damaged = () => new MediaError('is a damaged image');

function checkParts(parts: number): void {
  if (parts > maxSegments) throw new MediaError(`is an image of more than ${maxSegments.toLocaleString('en')} parts`);
}

/** Checks that a picture is complete. Returns its size in pixels. Throws `MediaError`. */
export function inspectImage(bytes: Buffer, type: string): PictureSize {
  const size = readSize(checks[type]?.(bytes) ?? bytes);
  if (size.width < 1 || size.height < 1) throw damaged();
  checkSide(size);
  if (size.width * size.height > maxPixels) {
    throw new MediaError(`is ${size.width} by ${size.height} pixels: the limit is ${maxPixels / 1e6} million`);
  }
  return size;
}

/** Throws if a side is longer than `maxSide`. */
export function checkSide({ width, height }: PictureSize): void {
  if (Math.max(width, height) <= maxSide) return;
  throw new MediaError(`is ${width} by ${height} pixels: each side must have at most ${maxSide}`);
}

function readSize(bytes: Buffer): PictureSize {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    // Exif orientations from 5 to 8 swap width and height (JEITA CP-3451, section 4.6.4).
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    throw damaged();
  }
}

const checks: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'image/png': checkPng,
  'image/jpeg': checkJpeg,
  'image/gif': checkGif,
  'image/webp': checkWebp,
};

/**
 * Checks the structure of a PNG (ISO/IEC 15948, section 5): chunks of length, type, data and CRC, from IHDR to IEND.
 */
function checkPng(bytes: Buffer): undefined {
  const seen = new Set<string>();
  let parts = 0;
  for (let at = 8; !seen.has('IEND'); ) {
    checkParts(++parts);
    if (at + 12 > bytes.length) throw truncated();
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) throw truncated();
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw damaged();
    seen.add(bytes.toString('latin1', at + 4, at + 8));
    if (!seen.has('IHDR')) throw damaged();
    at = end + 4;
  }
  if (!seen.has('IDAT')) throw damaged();
}

/** An empty segment. The library does not read the first segment. */
const emptySegment = Buffer.of(0xff, 0xe0, 0, 2);

/**
 * Checks the structure of a JPEG (ITU-T T.81, annex B): segments from SOI to EOI, with entropy-coded data after each
 * SOS. Returns a JPEG of only the segments with the size and the orientation, because the library searches byte by
 * byte after fill bytes, which takes a second for 5 MB.
 */
function checkJpeg(bytes: Buffer): Buffer {
  let exif: Buffer = emptySegment;
  let frame: Buffer | undefined;
  let scans = 0;
  let parts = 0;
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) throw at >= bytes.length ? truncated() : damaged();
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++] ?? 0;
    if (at > bytes.length) throw truncated();
    if (marker === 0xd9) break;
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    checkParts(++parts);
    if (at + 2 > bytes.length) throw truncated();
    const segment = bytes.subarray(at - 2, at + bytes.readUInt16BE(at));
    if (marker === 0xe1 && segment.toString('latin1', 4, 8) === 'Exif' && !frame) exif = segment;
    if (marker >= 0xc0 && marker <= 0xc2) frame ??= segment;
    at += bytes.readUInt16BE(at);
    if (marker !== 0xda) continue;
    scans++;
    at = endOfScan(bytes, at);
  }
  if (scans === 0 || !frame) throw damaged();
  return Buffer.concat([bytes.subarray(0, 2), emptySegment, exif, frame]);
}

/**
 * Returns the end of entropy-coded data. In such data, 0xff is followed by zero or by a restart marker. Any other byte
 * after 0xff ends the data.
 */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 2) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) throw truncated();
    const next = bytes[at + 1];
    if (next === undefined) throw truncated();
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
}

/** Checks the structure of a GIF (GIF89a): the screen descriptor, then blocks up to the trailer. */
function checkGif(bytes: Buffer): undefined {
  let frames = 0;
  let at = 13 + colours(bytes[10]);
  for (;;) {
    const block = bytes[at];
    if (block === 0x3b) break;
    if (block === 0x21) at = endOfSubBlocks(bytes, at + 2);
    else if (block === 0x2c) {
      frames++;
      at = endOfSubBlocks(bytes, at + 11 + colours(bytes[at + 9]));
    } else throw at >= bytes.length ? truncated() : damaged();
  }
  if (frames === 0) throw damaged();
}

function colours(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function endOfSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) throw truncated();
    at += 1 + length;
    if (length === 0) return at;
  }
}

/** Checks the structure of a WebP (RFC 9649): a RIFF file of the declared length with one picture or an animation. */
function checkWebp(bytes: Buffer): undefined {
  if (bytes.length < 20) throw truncated();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw truncated();
  const seen = new Set<string>();
  let parts = 0;
  for (let at = 12; at + 8 <= end; ) {
    checkParts(++parts);
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > end) throw truncated();
    seen.add(bytes.toString('latin1', at, at + 4));
    at += 8 + length + (length % 2);
  }
  if (!['VP8 ', 'VP8L', 'ANMF'].some((chunk) => seen.has(chunk))) throw damaged();
}
