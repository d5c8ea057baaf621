import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { pageHeaders } from './local-page.ts';

interface Representation {
  content: Buffer;
  etag: string;
}

/** Serves a file of the build, compressed when the client accepts gzip, and cacheable by its ETag. */
export function staticFile(file: URL, type: string): RequestHandler {
  return staticContent(() => readFile(file), type);
}

/** Serves a text in the same way. */
export function staticText(text: string, type: string): RequestHandler {
  return staticContent(async () => Buffer.from(text), type);
}

/**
 * Serves content in the same way that is read when it is first requested. Clients revalidate every time (`no-cache`), because a
 * cached page would be wrong after an upgrade.
 */
export function staticContent(read: () => Promise<Buffer>, type: string): RequestHandler {
  const plain = readOnce(async () => represent(await read()));
  const compressed = readOnce(async () => represent(await promisify(gzip)(await read())));
  const headers = { ...pageHeaders(), 'cache-control': 'no-cache', vary: 'accept-encoding' };
  return async (request: Request, response: Response) => {
    const asGzip = request.acceptsEncodings('gzip') === 'gzip';
    const { content, etag } = await (asGzip ? compressed() : plain());
    if (asGzip) response.set('content-encoding', 'gzip');
    // Express answers 304 to a matching If-None-Match.
    response.set(headers).set('etag', etag).type(type).send(content);
  };
}

function represent(content: Buffer): Representation {
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}

/** Reads a file of the build at the first call and caches the result. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let content: Promise<T> | undefined;
  return () => {
    content ??= read().catch((cause) => {
      content = undefined;
      throw new PosternError('unexpected', 'A file of the build is missing: run `npm run build`', { cause });
    });
    return content;
  };
}
