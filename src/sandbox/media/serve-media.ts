import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolveRange } from '../http/range.ts';
import type { SandboxState } from '../platform.ts';
import { serveUpload } from '../uploads/serve-upload.ts';
import { videoAt } from './clip.ts';
import { pictureAt } from './pictures.ts';

/** Serves a picture or a video of the dataset, or an upload. Returns false if the path is none of them. */
export function serveMedia(
  platform: SandboxState,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (!path.startsWith('/media/') || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const picture = pictureAt(platform.dataset, path, platform.now());
  const video = picture === undefined ? videoAt(platform.dataset, path) : undefined;
  const bytes = picture ?? video;
  if (bytes === undefined) return serveUpload(platform, path, request, response);
  const { status, headers, start, end } = resolveRange(request, bytes.length);
  response.writeHead(status, {
    'content-type': video === undefined ? 'image/png' : 'video/mp4',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1));
  return true;
}
