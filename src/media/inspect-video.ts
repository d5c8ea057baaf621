import { checkSide, type PictureSize } from './inspect-image.ts';
import { MediaError } from './media-error.ts';
import type { Spool } from './spool.ts';
import { longestMs } from './types.ts';

export interface VideoFacts extends PictureSize {
  durationMs: number | null;
}

interface Box {
  type: string;
  /** The offsets where the content begins and ends. */
  start: number;
  end: number;
}

/** Real files have some dozens of boxes; fragmented ones a few thousand at the top. */
const mostBoxes = 20_000;
const largestHeaderBox = 256;

const cutShort = () => new MediaError('is a video that is cut short or damaged');

/**
 * Reads size and duration of an MP4 or QuickTime file from a few hundred of its bytes (ISO/IEC 14496-12, section 8). The
 * libraries for these formats read whole sample tables, and a hostile file can give such a table any length. Throws `MediaError`.
 */
export async function inspectVideo(spool: Spool): Promise<VideoFacts> {
  const reader = new BoxReader(spool);
  const top = await reader.boxes({ start: 0, end: spool.size });
  const movie = top.find(({ type }) => type === 'moov');
  if (!movie || !top.some(({ type }) => type === 'mdat' || type === 'moof')) throw cutShort();
  const boxes = await reader.boxes(movie);
  for (const track of boxes.filter(({ type }) => type === 'trak')) {
    const size = await reader.pictureSize(track);
    if (size === null) continue;
    if (size.width < 1 || size.height < 1) throw cutShort();
    checkSide(size);
    const durationMs = await reader.duration(boxes);
    if (durationMs !== null && durationMs > longestMs) throw new MediaError('is a video of more than 24 hours');
    return { ...size, durationMs };
  }
  throw new MediaError('has no video track');
}

class BoxReader {
  readonly #spool: Spool;
  #seen = 0;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** Returns the boxes inside a range, which they must fill completely. */
  async boxes({ start, end }: Pick<Box, 'start' | 'end'>): Promise<Box[]> {
    const found: Box[] = [];
    for (let at = start; at < end; ) {
      // QuickTime may end a container with four zero bytes.
      if (end - at < 8) {
        if (end - at === 4 && found.length > 0) break;
        throw cutShort();
      }
      if (++this.#seen > mostBoxes) throw new MediaError('is a video of too many parts');
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
    if (size === 1 && header.length < 16) throw cutShort();
    const [length, skip] = size === 1 ? [Number(header.readBigUInt64BE(8)), 16] : [size, 8];
    if (length < skip || at + length > end) throw cutShort();
    return { type, start: at + skip, end: at + length };
  }

  /** Returns the size as shown, after rotation; `null` if the track is not a video. */
  async pictureSize(track: Box): Promise<PictureSize | null> {
    const parts = await this.boxes(track);
    const handler = await this.#content(await this.#within(parts, 'mdia'), 'hdlr', 12);
    if (handler?.toString('latin1', 8, 12) !== 'vide') return null;
    const header = await this.#content(parts, 'tkhd', 84);
    if (header === null) throw cutShort();
    const shift = header[0] === 1 ? 12 : 0;
    if (header.length < 84 + shift) throw cutShort();
    const [width, height] = [header.readUInt16BE(76 + shift), header.readUInt16BE(80 + shift)];
    // The matrix of a quarter turn has zeros where the others have their scale.
    const [a, b, d] = [40, 44, 56].map((at) => header.readInt32BE(at + shift));
    const isTurned = a === 0 && d === 0 && b !== 0;
    return isTurned ? { width: height, height: width } : { width, height };
  }

  /** Returns the duration of the movie, or of its fragments; `null` if neither is given. */
  async duration(movie: readonly Box[]): Promise<number | null> {
    const header = await this.#content(movie, 'mvhd', 20);
    if (header === null) throw cutShort();
    const isLong = header[0] === 1;
    if (isLong && header.length < 32) throw cutShort();
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
    if (content.length < atLeast) throw cutShort();
    return content;
  }
}

function fragmentsLength(header: Buffer): number {
  if (header[0] !== 1) return header.readUInt32BE(4);
  return header.length < 12 ? 0 : Number(header.readBigUInt64BE(4));
}
