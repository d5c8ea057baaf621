import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { resolveRange } from '../http/range.ts';
import type { SandboxState } from '../platform.ts';
import { typeOfExtension } from './formats.ts';

const PATH = /^\/media\/uploads\/(\d{1,20})\.([a-z0-9]{3,4})$/;

/** Serves the bytes of an upload, or the requested range of them. Returns false if there is no such upload. */
export function serveUpload(
  platform: SandboxState,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const [, id = '', extension = ''] = PATH.exec(path) ?? [];
  const upload = platform.dataset.uploads.shown(id, platform.now());
  if (upload === undefined || upload.extension !== extension) return false;
  const size = platform.files.sizeOf(`${id}.${extension}`);
  if (size === undefined) return false;
  const { status, headers, start, end } = resolveRange(request, size);
  response.writeHead(status, {
    'content-type': typeOfExtension(extension),
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if (request.method === 'HEAD' || status === 416) response.end();
  // Errors are ignored, because a client may close the connection at any time.
  else pipeline(platform.files.read(`${id}.${extension}`, start, end), response, () => {});
  return true;
}
