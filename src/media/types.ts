import type { MediaKind } from '../shared/model/taken-media.ts';

/** The maximum length of a side in pixels, for pictures and videos. `maxPixels` limits the area of a picture. */
export const maxSide = 8_192;
export const maxPixels = 50_000_000;

export interface PictureSize {
  width: number;
  height: number;
}

/** The maximum duration of a video, in milliseconds. */
export const maxDurationMs = 24 * 60 * 60 * 1_000;

const kinds: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'video/mp4': 'video',
  'video/quicktime': 'video',
};

/** Alternative names of media types. */
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

/** Returns the most specific kind of a media type. All types are accepted as `file` too. */
export function kindOfType(type: string): MediaKind {
  return kinds[type] ?? (type.startsWith('audio/') ? 'audio' : 'file');
}

/** Removes parameters from a media type, and replaces an alias by the usual name. */
export function canonicalType(type: string): string {
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return aliases[bare] ?? bare;
}

/** Returns a description for messages, such as `a photo (image/jpeg, image/png, image/webp) or a gif (image/gif)`. */
export function describeKinds(accepted: readonly MediaKind[]): string {
  return accepted
    .map((kind) => {
      if (kind === 'audio') return 'an audio file (such as audio/mpeg)';
      const types = Object.keys(kinds).filter((type) => kinds[type] === kind);
      return types.length === 0 ? `a ${kind}` : `a ${kind} (${types.join(', ')})`;
    })
    .join(' or ');
}
