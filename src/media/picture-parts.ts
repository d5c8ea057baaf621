import { crc32 } from 'node:zlib';
import { turn } from '../shared/runtime/turns.ts';
import { MediaError } from './media-error.ts';
import { type Edit, editedSize } from './spool.ts';
import type { PictureSize } from './types.ts';

const truncated = () => new MediaError('is a truncated image');
export const damaged = () => new MediaError('is a damaged image');

/**
 * The limit of segments in a picture, far above what encoders write. Each segment can become an edit, and the end of a
 * JPEG segment is searched.
 */
const maxParts = 10_000;
/** The number of short steps after which other work may run. */
const stepsPerTurn = 16_384;
const nothing = Buffer.alloc(0);

/** A picture, and the edits that remove its metadata. They are complete only if the format's `walk` succeeds. */
export class PictureParts {
  readonly bytes: Buffer;
  readonly edits: Edit[] = [];
  /** The Exif orientation, which is kept and applied to the size. */
  orientation = 1;
  #hasExif = false;
  #count = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Counts a part. Throws `MediaError` if there are too many. Lets other work run. */
  async begin(): Promise<void> {
    this.#count++;
    if (this.#count > maxParts) {
      throw new MediaError(`is an image of more than ${maxParts.toLocaleString('en')} parts`);
    }
    await turn();
  }

  replace(from: number, to: number, by: Buffer = nothing): void {
    if (from < to) this.edits.push({ from, to, by });
  }

  /**
   * Replaces a part with Exif metadata. `wrap` makes the part that keeps the orientation. It is used for the first such
   * part only, because decoders ignore the others.
   */
  replaceExif(from: number, to: number, tiff: Buffer, wrap: (tiff: Buffer) => Buffer): void {
    if (!this.#hasExif) this.orientation = readOrientation(tiff);
    this.replace(from, to, this.#hasExif || this.orientation === 1 ? nothing : wrap(orientationOnly(this.orientation)));
    this.#hasExif = true;
  }
}

export interface PictureFormat {
  /** Matches the start of a file. */
  starts: RegExp;
  /**
   * Checks that the picture is complete, and collects the edits. Returns the size before the orientation is applied.
   * Throws `MediaError`.
   */
  walk: (parts: PictureParts) => Promise<PictureSize>;
  /** Matches the start of metadata in a damaged file. */
  metadata: RegExp;
}

const exifHeader = 'Exif\0\0';
const keptSegments = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);
/** The size of a JFIF segment without a thumbnail. */
const jfifBytes = 18;

/** JPEG (ITU-T T.81, annex B): segments from SOI to EOI, with entropy-coded data after each SOS. */
async function walkJpeg(parts: PictureParts): Promise<PictureSize> {
  const { bytes } = parts;
  let frame: Buffer | undefined;
  let scans = 0;
  let steps = 0;
  for (let at = 2; ; ) {
    const from = at;
    if (bytes[at] !== 0xff) throw at >= bytes.length ? truncated() : damaged();
    for (; bytes[at] === 0xff; at++) if (++steps % stepsPerTurn === 0) await turn();
    const marker = bytes[at++] ?? 0;
    if (at > bytes.length) throw truncated();
    if (marker === 0xd9) {
      parts.replace(at, bytes.length);
      break;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    await parts.begin();
    if (at + 2 > bytes.length) throw truncated();
    const segment = bytes.subarray(at - 2, at + bytes.readUInt16BE(at));
    at += bytes.readUInt16BE(at);
    if (marker === 0xe1 && segment.toString('latin1', 4, 10) === exifHeader) {
      parts.replaceExif(from, at, segment.subarray(10), exifSegment);
    } else if ((marker >= 0xe0 && marker <= 0xef) || marker === 0xfe) {
      const name = keptSegments.get(marker);
      if (name === undefined || segment.toString('latin1', 4, 4 + name.length) !== name) parts.replace(from, at);
      else if (marker === 0xe0 && segment.length > jfifBytes) parts.replace(from, at, withoutThumbnail(segment));
    }
    if (marker >= 0xc0 && marker <= 0xc2) frame ??= segment;
    if (marker !== 0xda) continue;
    scans++;
    at = await endOfScan(bytes, at);
  }
  if (scans === 0 || !frame || frame.length < 9) throw damaged();
  return { width: frame.readUInt16BE(7), height: frame.readUInt16BE(5) };
}

function withoutThumbnail(jfif: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0xff, 0xe0, 0, jfifBytes - 2), jfif.subarray(4, jfifBytes - 2), Buffer.alloc(2)]);
}

function exifSegment(tiff: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0xff, 0xe1, 0, 8 + tiff.length), Buffer.from(exifHeader, 'latin1'), tiff]);
}

/**
 * Returns the end of entropy-coded data. In such data, 0xff is followed by zero or by a restart marker. Any other byte
 * after 0xff ends the data.
 */
async function endOfScan(bytes: Buffer, from: number): Promise<number> {
  for (let at = from, steps = 1; ; at += 2, steps++) {
    if (steps % stepsPerTurn === 0) await turn();
    at = bytes.indexOf(0xff, at);
    if (at < 0) throw truncated();
    const next = bytes[at + 1];
    if (next === undefined) throw truncated();
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
}

/** The chunks that a decoder needs to show the picture. cLLi and mDCv are the draft names of cLLI and mDCV. */
const keptChunks = new Set([
  ...'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi pHYs sBIT bKGD hIST sPLT'.split(' '),
  ...'acTL fcTL fdAT'.split(' '),
]);

/** PNG (ISO/IEC 15948, section 5): chunks of length, type, data and CRC, from IHDR to IEND. */
async function walkPng(parts: PictureParts): Promise<PictureSize> {
  const { bytes } = parts;
  const seen = new Set<string>();
  let at = 8;
  while (!seen.has('IEND')) {
    await parts.begin();
    if (at + 12 > bytes.length) throw truncated();
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) throw truncated();
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw damaged();
    const type = bytes.toString('latin1', at + 4, at + 8);
    seen.add(type);
    if (!seen.has('IHDR')) throw damaged();
    if (type === 'eXIf') parts.replaceExif(at, end + 4, bytes.subarray(at + 8, end), exifChunk);
    else if (!keptChunks.has(type)) parts.replace(at, end + 4);
    at = end + 4;
  }
  if (!seen.has('IDAT')) throw damaged();
  parts.replace(at, bytes.length);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function exifChunk(tiff: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.of(0, 0, 0, tiff.length), Buffer.from('eXIf'), tiff, Buffer.alloc(4)]);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

const keptWebpChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The bits of VP8X that declare an EXIF and an XMP chunk. */
const [exifFlag, xmpFlag] = [0x08, 0x04];

/** WebP (RFC 9649): a RIFF file of the declared length with one picture or an animation. */
async function walkWebp(parts: PictureParts): Promise<PictureSize> {
  const { bytes, edits } = parts;
  if (bytes.length < 20) throw truncated();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw truncated();
  const seen = new Set<string>();
  let flagsAt = 0;
  let at = 12;
  while (at + 8 <= end) {
    await parts.begin();
    const length = bytes.readUInt32LE(at + 4);
    const data = at + 8;
    if (data + length > end) throw truncated();
    const type = bytes.toString('latin1', at, at + 4);
    const next = Math.min(data + length + (length % 2), end);
    if (type === 'VP8X') {
      if (length < 10) throw damaged();
      flagsAt ||= data;
    }
    // Decoders ignore Exif without VP8X.
    if (type === 'EXIF' && flagsAt > 0) {
      const hasHeader = bytes.toString('latin1', data, data + exifHeader.length) === exifHeader;
      const tiff = bytes.subarray(hasHeader ? data + exifHeader.length : data, data + length);
      parts.replaceExif(at, next, tiff, webpChunk);
    } else if (!keptWebpChunks.has(type)) parts.replace(at, next);
    seen.add(type);
    at = next;
  }
  if (!['VP8 ', 'VP8L', 'ANMF'].some((chunk) => seen.has(chunk))) throw damaged();
  parts.replace(at, bytes.length);
  const flags = bytes[flagsAt] ?? 0;
  const now = (flags & ~(exifFlag | xmpFlag)) | (parts.orientation === 1 ? 0 : exifFlag);
  if (flagsAt > 0 && now !== flags) parts.replace(flagsAt, flagsAt + 1, Buffer.of(now));
  // Browsers ignore the orientation of a WebP.
  parts.orientation = 1;
  if (edits.length > 0) {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(editedSize(bytes.length, edits) - 8);
    parts.replace(4, 8, size);
    edits.sort((a, b) => a.from - b.from);
  }
  return webpSize(bytes);
}

/** Reads the size from the first chunk: an extended header, a lossless picture, or a key frame of VP8 (RFC 6386). */
function webpSize(bytes: Buffer): PictureSize {
  const head = Buffer.alloc(30);
  bytes.copy(head);
  const type = head.toString('latin1', 12, 16);
  if (type === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (type === 'VP8L' && head[20] === 0x2f) {
    const sides = head.readUInt32LE(21);
    return { width: 1 + (sides & 0x3fff), height: 1 + ((sides >> 14) & 0x3fff) };
  }
  if (type !== 'VP8 ' || head.readUIntBE(23, 3) !== 0x9d012a) throw damaged();
  return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
}

function webpChunk(tiff: Buffer): Buffer {
  return Buffer.concat([Buffer.from('EXIF'), Buffer.of(tiff.length, 0, 0, 0), tiff]);
}

/** Applications whose extensions hold no metadata: loops of animations, and colour profiles. */
const keptApplications = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/** GIF (GIF89a): the screen descriptor, then blocks up to the trailer. Comments and XMP are extensions. */
async function walkGif(parts: PictureParts): Promise<PictureSize> {
  const { bytes } = parts;
  let frames = 0;
  let at = 13 + colours(bytes[10]);
  let removedFrom: number | null = null;
  let inData = false;
  for (let steps = 1; ; steps++) {
    if (steps % stepsPerTurn === 0) await turn();
    const byte = bytes[at];
    if (byte === undefined) throw truncated();
    if (inData) {
      at += 1 + byte;
      inData = byte > 0;
      if (inData || removedFrom === null) continue;
      await parts.begin();
      parts.replace(removedFrom, at);
      removedFrom = null;
    } else if (byte === 0x21) {
      const label = bytes[at + 1];
      const application = label === 0xff ? bytes.toString('latin1', at + 3, at + 14) : '';
      if (label !== 0xf9 && label !== 0x01 && !keptApplications.has(application)) removedFrom = at;
      at += 2;
      inData = true;
    } else if (byte === 0x2c) {
      frames++;
      at += 11 + colours(bytes[at + 9]);
      inData = true;
    } else if (byte === 0x3b) break;
    else throw damaged();
  }
  if (frames === 0) throw damaged();
  parts.replace(at + 1, bytes.length);
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function colours(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

const formats: readonly PictureFormat[] = [
  { starts: /^\xff\xd8\xff/, walk: walkJpeg, metadata: /\xff[\xe1\xe3-\xed\xef\xfe]|MPF\0/ },
  { starts: /^\x89PNG/, walk: walkPng, metadata: /eXIf|tEXt|zTXt|iTXt|tIME/ },
  { starts: /^RIFF.{4}WEBP/s, walk: walkWebp, metadata: /EXIF|XMP / },
  { starts: /^GIF/, walk: walkGif, metadata: /XMP DataXMP/ },
];

/** Returns the format of a file from its first bytes. `undefined` if metadata cannot be removed from such files. */
export function pictureFormat(bytes: Buffer): PictureFormat | undefined {
  const start = bytes.toString('latin1', 0, 12);
  return formats.find(({ starts }) => starts.test(start));
}

const orientationTag = 0x112;

/** Returns the orientation in a TIFF structure (JEITA CP-3451, section 4.6.4); 1, which is upright, if it has none. */
function readOrientation(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 4) === 'II*\0';
  if (tiff.length < 8 || (!isLittle && tiff.toString('latin1', 0, 4) !== 'MM\0*')) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return 1;
  const end = Math.min(directory + 2 + 12 * view.getUint16(directory, isLittle), tiff.length - 11);
  for (let at = directory + 2; at < end; at += 12) {
    if (view.getUint16(at, isLittle) !== orientationTag) continue;
    const orientation = view.getUint16(at + 8, isLittle);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return 1;
}

/** Returns a TIFF structure with an orientation and nothing else. */
function orientationOnly(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
