import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { fileOf } from '../dataset/uploads.ts';
import { resolveRange } from '../http/range.ts';
import type { SandboxState } from '../platform.ts';
import { typeOfExtension } from '../uploads/formats.ts';
import { videoAt } from './clip.ts';
import { pictureAt } from './pictures.ts';

const UPLOAD = /^\/media\/uploads\/(\d{1,20})\.([a-z0-9]{3,4})$/;

/** Serves a picture or a video of the dataset, or an upload. Returns false if the path is none of them. */
export function serveMedia(
  platform: SandboxState,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!path.startsWith('/media/') || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const file = fileAt(platform, path);
  if (file === undefined) return false;
  const { status, headers, start, end } = resolveRange(request, file.size);
  response.writeHead(status, {
    'content-type': file.type,
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if (request.method === 'HEAD' || status === 416) response.end();
  // Errors are ignored, because a client may close the connection at any time.
  else pipeline(file.read(start, end), response, () => {});
  return true;
}

/** Returns a file, whose bytes `read` returns from `start` to `end`, both inclusive. */
function fileAt({ dataset, files, now }: SandboxState, path: string) {
  const picture = pictureAt(dataset, path, now());
  const made = picture ?? videoAt(dataset, path);
  if (made !== undefined) {
    const read = (start: number, end: number) => Readable.from([made.subarray(start, end + 1)]);
    return { type: picture === undefined ? 'video/mp4' : 'image/png', size: made.length, read };
  }
  const [, id = '', extension = ''] = UPLOAD.exec(path) ?? [];
  const upload = dataset.uploads.shown(id, now());
  if (upload === undefined || upload.extension !== extension) return undefined;
  const name = fileOf(upload);
  const size = files.sizeOf(name);
  const read = (start: number, end: number) => files.read(name, start, end);
  return size === undefined ? undefined : { type: typeOfExtension(extension), size, read };
}
