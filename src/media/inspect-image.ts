import { turn } from '../shared/runtime/turns.ts';
import { MediaError } from './media-error.ts';
import { damaged, PictureParts, pictureFormat } from './picture-parts.ts';
import type { Edit } from './spool.ts';
import { maxPixels, maxSide, type PictureSize } from './types.ts';

/**
 * Checks that a picture is complete. Returns its size in pixels, and the edits that remove its metadata. Throws
 * `MediaError`.
 */
export async function inspectImage(bytes: Buffer): Promise<PictureSize & { edits: readonly Edit[] }> {
  const parts = new PictureParts(bytes);
  const stored = await pictureFormat(bytes)?.walk(parts);
  if (stored === undefined) throw damaged();
  // Exif orientations from 5 to 8 swap width and height (JEITA CP-3451, section 4.6.4).
  const size = parts.orientation >= 5 ? { width: stored.height, height: stored.width } : stored;
  if (size.width < 1 || size.height < 1) throw damaged();
  checkSide(size);
  if (size.width * size.height > maxPixels) {
    throw new MediaError(`is ${size.width} by ${size.height} pixels: the limit is ${maxPixels / 1e6} million`);
  }
  return { ...size, edits: parts.edits };
}

/** Throws if a side is longer than `maxSide`. */
export function checkSide({ width, height }: PictureSize): void {
  if (Math.max(width, height) <= maxSide) return;
  throw new MediaError(`is ${width} by ${height} pixels: each side must have at most ${maxSide}`);
}

const windowBytes = 64 * 1024;
const longestSign = 16;

/**
 * Returns the edits that remove the metadata of any file. Files that are not pictures have none. Throws `MediaError` if
 * a picture is damaged and may contain metadata.
 */
export async function metadataEdits(bytes: Buffer): Promise<readonly Edit[]> {
  const format = pictureFormat(bytes);
  if (format === undefined) return [];
  const parts = new PictureParts(bytes);
  try {
    await format.walk(parts);
    return parts.edits;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    if (parts.edits.length === 0 && !(await contains(bytes, format.metadata))) return [];
    const message = `${error.message}, so its metadata cannot be removed: remove the metadata, or send keep_metadata`;
    throw new MediaError(message, { reason: 'metadata_not_removed' });
  }
}

async function contains(bytes: Buffer, pattern: RegExp): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += windowBytes) {
    await turn();
    if (pattern.test(bytes.toString('latin1', at, at + windowBytes + longestSign))) return true;
  }
  return false;
}
