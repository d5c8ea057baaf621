import { readFileSync } from 'node:fs';
import type { Dataset } from '../dataset/dataset.ts';

/** A video drawn for the sandbox: H.264, 1280 by 720 pixels, 24 frames of a square that moves over a growing bar. */
const clip = readFileSync(new URL('./clip.mp4', import.meta.url));
const frames = 24;

/** Offsets of the 32-bit fields that hold the duration (ISO/IEC 14496-12, sections 8.2.2, 8.3.2, 8.4.2 and 8.6.1.2). */
const movieDuration = field('mvhd', 16);
const trackDuration = field('tkhd', 20);
const mediaDuration = field('mdhd', 16);
const frameDuration = field('stts', 12);

/** Returns the clip with its playback speed changed so that it lasts `durationMs`. */
function clipOf(durationMs: number): Buffer {
  const video = Buffer.from(clip);
  // The movie header counts milliseconds and the track counts 24 ticks per millisecond. The clip has 24 frames, so each
  // frame lasts `durationMs` ticks.
  video.writeUInt32BE(durationMs, movieDuration);
  video.writeUInt32BE(durationMs, trackDuration);
  video.writeUInt32BE(durationMs * frames, mediaDuration);
  video.writeUInt32BE(durationMs, frameDuration);
  return video;
}

/** Returns the video at a path that the dataset uses, or undefined. */
export function videoAt(dataset: Dataset, path: string): Buffer | undefined {
  // The second-last number in the file name is the position of the tweet.
  const position = /^\/media\/videos\/[\w-]+-(\d+)-\d+\.mp4$/.exec(path)?.[1];
  const tweet = position === undefined ? undefined : dataset.tweets[Number(position)];
  if (tweet === undefined || tweet.deleted) return undefined;
  const media = tweet.media.find(({ videoPath }) => videoPath === path);
  return media && clipOf(media.durationMs ?? unknownDurationMs);
}

const unknownDurationMs = 24_000;

/** Finds the first box of a type. `offset` counts bytes from the end of the box's type field. */
function field(type: string, offset: number): number {
  return clip.indexOf(type, 0, 'latin1') + 4 + offset;
}
