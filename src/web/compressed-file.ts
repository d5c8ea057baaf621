import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { pageHeaders } from './local-page.ts';
import { readOnce } from './read-once.ts';

interface Representation {
  content: Buffer;
  etag: string;
}

/**
 * Serves a large file of the build, compressed for whoever takes that. Whoever has it already is told so by its `ETag`:
 * unlike an age, that is right after every upgrade.
 */
export function compressedFile(file: URL, type: string): RequestHandler {
  const plain = readOnce(async () => represent(await readFile(file)));
  const compressed = readOnce(async () => represent(await promisify(gzip)(await readFile(file))));
  const headers = { ...pageHeaders(), 'cache-control': 'no-cache', vary: 'accept-encoding' };
  return async (request: Request, response: Response) => {
    const asGzip = request.acceptsEncodings('gzip') === 'gzip';
    const { content, etag } = await (asGzip ? compressed() : plain());
    if (asGzip) response.set('content-encoding', 'gzip');
    response.set(headers).set('etag', etag).type(type).send(content);
  };
}

function represent(content: Buffer): Representation {
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}
