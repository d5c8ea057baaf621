import { checkSide } from './inspect-image.ts';
import { MediaError } from './media-error.ts';
import type { Spool } from './spool.ts';
import { maxDurationMs, type PictureSize } from './types.ts';

export interface VideoFacts extends PictureSize {
  durationMs: number | null;
}

interface Box {
  type: string;
  /** The offsets of the start and end of the box's content. */
  start: number;
  end: number;
}

/** The limit of boxes in a file. Ordinary files have a few dozen, and fragmented files a few thousand. */
const maxBoxes = 20_000;
const largestHeaderBox = 256;

const truncated = () => new MediaError('is a truncated or damaged video');

/**
 * Reads the size and duration of an MP4 or QuickTime file (ISO/IEC 14496-12, section 8). Only a few hundred bytes are
 * read. Libraries for these formats read whole sample tables, and a malicious file can make such a table arbitrarily
 * long. Throws `MediaError`.
 */
export async function inspectVideo(spool: Pick<Spool, 'size' | 'read'>): Promise<VideoFacts> {
  const reader = new BoxReader(spool);
  const top = await reader.boxes({ start: 0, end: spool.size });
  const movie = top.find(({ type }) => type === 'moov');
  if (!movie || !top.some(({ type }) => type === 'mdat' || type === 'moof')) throw truncated();
  const boxes = await reader.boxes(movie);
  for (const track of boxes.filter(({ type }) => type === 'trak')) {
    const size = await reader.pictureSize(track);
    if (size === null) continue;
    if (size.width < 1 || size.height < 1) throw truncated();
    checkSide(size);
    const durationMs = await reader.duration(boxes);
    if (durationMs !== null && durationMs > maxDurationMs) throw new MediaError('is a video of more than 24 hours');
    return { ...size, durationMs };
  }
  throw new MediaError('has no video track');
}

class BoxReader {
  readonly #spool: Pick<Spool, 'size' | 'read'>;
  #seen = 0;

  constructor(spool: Pick<Spool, 'size' | 'read'>) {
    this.#spool = spool;
  }

  /** Returns the boxes in a range. Throws unless the boxes fill the range completely. */
  async boxes({ start, end }: Pick<Box, 'start' | 'end'>): Promise<Box[]> {
    const found: Box[] = [];
    for (let at = start; at < end; ) {
      // In QuickTime files, a container may end with four zero bytes.
      if (end - at < 8) {
        if (end - at === 4 && found.length > 0) break;
        throw truncated();
      }
      if (++this.#seen > maxBoxes) throw new MediaError('is a video with too many boxes');
      const box = await this.#header(at, end);
      found.push(box);
      at = box.end;
    }
    return found;
  }

  async #header(at: number, end: number): Promise<Box> {
    const header = await this.#spool.read(at, Math.min(16, end - at));
    const type = header.toString('latin1', 4, 8);
    const size = header.readUInt32BE(0);
    if (size === 0 && end === this.#spool.size) return { type, start: at + 8, end };
    if (size === 1 && header.length < 16) throw truncated();
    const [length, skip] = size === 1 ? [Number(header.readBigUInt64BE(8)), 16] : [size, 8];
    if (length < skip || at + length > end) throw truncated();
    return { type, start: at + skip, end: at + length };
  }

  /** Returns the displayed size, after rotation. `null` if the track is not a video. */
  async pictureSize(track: Box): Promise<PictureSize | null> {
    const parts = await this.boxes(track);
    const handler = await this.#content(await this.#within(parts, 'mdia'), 'hdlr', 12);
    if (handler?.toString('latin1', 8, 12) !== 'vide') return null;
    const header = await this.#content(parts, 'tkhd', 84);
    if (header === null) throw truncated();
    const shift = header[0] === 1 ? 12 : 0;
    if (header.length < 84 + shift) throw truncated();
    const [width, height] = [header.readUInt16BE(76 + shift), header.readUInt16BE(80 + shift)];
    // The matrix of a rotation by 90 or 270 degrees has zeros in the positions of the scale factors.
    const [a, b, d] = [40, 44, 56].map((at) => header.readInt32BE(at + shift));
    const isTurned = a === 0 && d === 0 && b !== 0;
    return isTurned ? { width: height, height: width } : { width, height };
  }

  /** Returns the duration of the movie, or the total duration of its fragments. `null` if the file declares neither. */
  async duration(movie: readonly Box[]): Promise<number | null> {
    const header = await this.#content(movie, 'mvhd', 20);
    if (header === null) throw truncated();
    const isLong = header[0] === 1;
    if (isLong && header.length < 32) throw truncated();
    const timescale = header.readUInt32BE(isLong ? 20 : 12);
    const whole = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
    const fragments = await this.#content(await this.#within(movie, 'mvex'), 'mehd', 8);
    const ofFragments = fragments === null ? 0 : fragmentsLength(fragments);
    const length = whole === 0 || whole === 0xffffffff ? ofFragments : whole;
    const durationMs = Math.round((length * 1_000) / timescale);
    return length > 0 && Number.isSafeInteger(durationMs) ? durationMs : null;
  }

  async #within(boxes: readonly Box[], type: string): Promise<Box[]> {
    const box = boxes.find((each) => each.type === type);
    return box ? this.boxes(box) : [];
  }

  async #content(boxes: readonly Box[], type: string, atLeast: number): Promise<Buffer | null> {
    const box = boxes.find((each) => each.type === type);
    if (!box) return null;
    const content = await this.#spool.read(box.start, Math.min(largestHeaderBox, box.end - box.start));
    if (content.length < atLeast) throw truncated();
    return content;
  }
}

function fragmentsLength(header: Buffer): number {
  if (header[0] !== 1) return header.readUInt32BE(4);
  return header.length < 12 ? 0 : Number(header.readBigUInt64BE(4));
}
