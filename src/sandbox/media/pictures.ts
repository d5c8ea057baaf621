import type { Dataset } from '../dataset/dataset.ts';
import { stillOf } from '../dataset/uploads.ts';
import { mosaic } from './png.ts';

const MAX_CACHED = 256;
const NAME = /^\/media\/(avatars|banners|photos|stills)\/([\w-]+)-(\d{2,4})x(\d{2,4})\.png$/;
const cache = new Map<string, Buffer>();

/** Returns the picture at a path that the dataset uses, or undefined. */
export function pictureAt(dataset: Dataset, path: string, now: number): Buffer | undefined {
  const match = NAME.exec(path);
  if (match === null) return undefined;
  const [, kind = '', name = '', width = '', height = ''] = match;
  if (!isNamed(dataset, kind, name, path, now)) return undefined;
  let picture = cache.get(path);
  if (picture === undefined) picture = mosaic(path, Number(width), Number(height));
  // Deleting and setting the key again moves it to the end, so the map is ordered by last use.
  cache.delete(path);
  cache.set(path, picture);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  return picture;
}

function isNamed(dataset: Dataset, kind: string, name: string, path: string, now: number): boolean {
  if (kind === 'avatars') return dataset.userNamed(name)?.avatar === path;
  if (kind === 'banners') return dataset.userNamed(name)?.banner === path;
  if (kind === 'stills') {
    const upload = dataset.uploads.shown(name, now);
    return upload?.kind === 'video' && stillOf(upload) === path;
  }
  // The file name of a photo or of a video preview contains the position of its tweet.
  const tweet = dataset.tweets[Number(name.split('-').at(-2))];
  return tweet !== undefined && !tweet.deleted && tweet.media.some((media) => media.path === path);
}
