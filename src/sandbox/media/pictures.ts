import type { Dataset } from '../dataset/dataset.ts';
import { stillOf } from '../dataset/uploads.ts';
import { mosaic } from './png.ts';

const KEPT = 256;
const NAME = /^\/media\/(avatars|banners|photos|stills)\/([\w-]+)-(\d{2,4})x(\d{2,4})\.png$/;
const kept = new Map<string, Buffer>();

/** The picture at a path that the dataset names, or undefined. */
export function pictureAt(dataset: Dataset, path: string, now: number): Buffer | undefined {
  const match = NAME.exec(path);
  if (match === null) return undefined;
  const [, kind = '', name = '', width = '', height = ''] = match;
  if (!isNamed(dataset, kind, name, path, now)) return undefined;
  let picture = kept.get(path);
  if (picture === undefined) picture = mosaic(path, Number(width), Number(height));
  // The order of entering is the order of last use.
  kept.delete(path);
  kept.set(path, picture);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return picture;
}

function isNamed(dataset: Dataset, kind: string, name: string, path: string, now: number): boolean {
  if (kind === 'avatars') return dataset.userNamed(name)?.avatar === path;
  if (kind === 'banners') return dataset.userNamed(name)?.banner === path;
  if (kind === 'stills') {
    const upload = dataset.uploads.shown(name, now);
    return upload?.kind === 'video' && stillOf(upload) === path;
  }
  // The name of a photo, or of a video's still, holds the place of its tweet.
  const tweet = dataset.tweets[Number(name.split('-').at(-2))];
  return tweet !== undefined && !tweet.deleted && tweet.media.some((media) => media.path === path);
}
