import type { MediaKind } from '../shared/model/taken-media.ts';

const MiB = 1024 * 1024;

/** The largest size of each kind in bytes (docs/rest.md, Media). Only messages carry audio, SVG and other files. */
export const largestOfKind: Readonly<Record<MediaKind, number>> = {
  photo: 5 * MiB,
  gif: 15 * MiB,
  video: 512 * MiB,
  audio: 25 * MiB,
  svg: 1 * MiB,
  file: 25 * MiB,
};

/** The longest side of a picture or a video, in pixels, and the most pixels of a picture. */
export const longestSide = 8_192;
export const mostPixels = 50_000_000;
/** The longest video, in milliseconds. */
export const longestMs = 24 * 60 * 60 * 1_000;

const kinds: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'video/mp4': 'video',
  'video/quicktime': 'video',
};

/** Other names of the same types. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
};

/** Returns the most specific kind of a type. Any type may also be a `file`. */
export function kindOfType(type: string): MediaKind {
  return kinds[type] ?? (type.startsWith('audio/') ? 'audio' : 'file');
}

/** Removes parameters and replaces aliases by the usual name. */
export function usualType(type: string): string {
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return aliases[bare] ?? bare;
}

/** Returns a text for messages, such as `a photo (image/jpeg, image/png, image/webp) or a gif (image/gif)`. */
export function describeKinds(accepted: readonly MediaKind[]): string {
  return accepted
    .map((kind) => {
      if (kind === 'audio') return 'an audio file (such as audio/mpeg)';
      const types = Object.keys(kinds).filter((type) => kinds[type] === kind);
      return types.length === 0 ? `a ${kind}` : `a ${kind} (${types.join(', ')})`;
    })
    .join(' or ');
}
