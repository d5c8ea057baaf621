import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Platform } from '../platform.ts';
import { typeOfExtension } from './formats.ts';

const PATH = /^\/media\/uploads\/(\d{1,20})\.([a-z0-9]{3,4})$/;

/** Answers with the bytes of an upload, or with the part of them that was asked for. Says whether there are such. */
export function serveUpload(
  platform: Platform,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const [, id = '', extension = ''] = PATH.exec(path) ?? [];
  const upload = platform.world.uploads.shown(id, platform.now());
  if (upload === undefined || upload.extension !== extension) return false;
  const size = platform.files.sizeOf(`${id}.${extension}`);
  if (size === undefined) return false;
  const range = rangeOf(request.headers.range, size);
  const headers = {
    'content-type': typeOfExtension(extension),
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
  if (range === null) {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${size}`, 'content-length': 0 }).end();
    return true;
  }
  const [start, end] = range ?? [0, size - 1];
  response.writeHead(range === undefined ? 200 : 206, {
    ...headers,
    'content-length': end - start + 1,
    ...(range !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD') response.end();
  // Whoever goes before the end has had enough.
  else pipeline(platform.files.read(`${id}.${extension}`, start, end), response, () => {});
  return true;
}

/** RFC 9110 section 14.1.2, one range; undefined where there is none that is understood, null where it has no byte. */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const [start, end] =
    first === ''
      ? [Math.max(0, size - Number(last)), size - 1]
      : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  return start > end ? null : [start, end];
}
