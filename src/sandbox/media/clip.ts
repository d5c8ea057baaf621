import { readFileSync } from 'node:fs';
import type { Dataset } from '../dataset/dataset.ts';

/** H.264, 1280 by 720, 24 frames of a square that moves over a growing bar; drawn for the sandbox. */
const clip = readFileSync(new URL('./clip.mp4', import.meta.url));
const frames = 24;

/** Offsets of the 32-bit fields that hold the duration (ISO/IEC 14496-12, sections 8.2.2, 8.3.2, 8.4.2 and 8.6.1.2). */
const movieDuration = field('mvhd', 16);
const trackDuration = field('tkhd', 20);
const mediaDuration = field('mdhd', 16);
const frameDuration = field('stts', 12);

/** The clip, played so slowly or fast that it lasts as long as this. */
function clipOf(durationMs: number): Buffer {
  const video = Buffer.from(clip);
  // The movie counts milliseconds, the track 24 ticks a millisecond: a frame takes as many ticks as the video milliseconds.
  video.writeUInt32BE(durationMs, movieDuration);
  video.writeUInt32BE(durationMs, trackDuration);
  video.writeUInt32BE(durationMs * frames, mediaDuration);
  video.writeUInt32BE(durationMs, frameDuration);
  return video;
}

/** The video at a path that the dataset names, or undefined. */
export function videoAt(dataset: Dataset, path: string): Buffer | undefined {
  // The name holds the position of its tweet.
  const position = /^\/media\/videos\/[\w-]+-(\d+)-\d+\.mp4$/.exec(path)?.[1];
  const tweet = position === undefined ? undefined : dataset.tweets[Number(position)];
  if (tweet === undefined || tweet.deleted) return undefined;
  const media = tweet.media.find(({ videoPath }) => videoPath === path);
  return media && clipOf(media.durationMs ?? unknownDurationMs);
}

const unknownDurationMs = 24_000;

/** Finds the first box of this type. `offset` counts bytes from the end of the type field of that box. */
function field(type: string, offset: number): number {
  return clip.indexOf(type, 0, 'latin1') + 4 + offset;
}
