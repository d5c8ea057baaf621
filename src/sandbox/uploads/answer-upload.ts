import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { ranged } from '../http/range.ts';
import type { SandboxState } from '../platform.ts';
import { typeOfExtension } from './formats.ts';

const PATH = /^\/media\/uploads\/(\d{1,20})\.([a-z0-9]{3,4})$/;

/** Answers with the bytes of an upload, or with the part of them that was asked for. Says whether there are such. */
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
  const { status, headers, start, end } = ranged(request, size);
  response.writeHead(status, {
    'content-type': typeOfExtension(extension),
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if (request.method === 'HEAD' || status === 416) response.end();
  // Whoever goes before the end has had enough.
  else pipeline(platform.files.read(`${id}.${extension}`, start, end), response, () => {});
  return true;
}
