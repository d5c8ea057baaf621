import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { decodeUntrustedJson, jsonErrorReason, requestLimits } from '../../shared/json/untrusted-json.ts';

const inflaters: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);
/**
 * The compressed bytes that occupy a thread of libuv's pool at a time. Deflate blocks of 10 bytes that hold nothing take 10 s for 16 MiB, and
 * four such bodies would otherwise delay all files and name look-ups of the process for as long.
 */
const pieceBytes = 8 * 1024;

export interface JsonBodyOptions {
  /** The maximum size of the body in bytes, before and after decompression. */
  limitBytes: number;
  /** Accepts `Content-Encoding: gzip`, `deflate` and `br`. */
  compressed?: boolean;
}

/**
 * Reads the JSON body of a request. Returns `undefined` if the request has no body. Refuses text that is not valid UTF-8, because
 * replacement characters would change the caller's text. Throws `too_large`, `unsupported_media_type` or `bad_input`.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { limitBytes, compressed = false }: JsonBodyOptions,
): Promise<unknown> {
  // The body is not read here, because the server discards it after the response.
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!hasBody(request)) return undefined;
  requireJson(request);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const inflater = compressed ? inflaters.get(encoding) : undefined;
  if (encoding !== 'identity' && !inflater) throw unsupportedEncoding();
  const sent = await readBytes(request, limitBytes);
  const bytes = inflater ? await inflateWithin(inflater(), sent, limitBytes, request) : sent;
  if (!isUtf8(bytes)) throw new PosternError('unreadable_body', 'The body is not valid UTF-8');
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(await decodeUntrustedJson(bytes, requestLimits));
  } catch (error) {
    throw new PosternError('unreadable_body', `The body ${jsonErrorReason(error)}`);
  }
}

export function unsupportedEncoding(): PosternError {
  return new PosternError('unsupported_body', 'The Content-Encoding of the body is not supported');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new PosternError('unsupported_body', 'The body must be JSON, with Content-Type: application/json');
  }
  if (!/^utf-?8$/i.test(/;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8')) {
    throw new PosternError('unsupported_body', 'The body must be UTF-8');
  }
}

function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (hasHungUp(request)) return reject(cutShort());
    // One buffer that grows, because a chunk of one byte would take 700 bytes of memory.
    let buffer = Buffer.alloc(0);
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      const at = length;
      length += chunk.length;
      if (length > limitBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(limitBytes));
        return;
      }
      if (length > buffer.length) {
        const grown = Buffer.allocUnsafe(Math.min(2 * length, limitBytes));
        buffer.copy(grown, 0, 0, at);
        buffer = grown;
      }
      chunk.copy(buffer, at);
    });
    request.once('end', () => resolve(buffer.subarray(0, length)));
    const cut = () => {
      if (hasHungUp(request)) reject(cutShort());
    };
    request.once('error', cut);
    request.once('close', cut);
  });
}

/**
 * Returns true if the client disconnected before its body was read, even if the whole body has arrived. Such a request emits no event
 * except `close`.
 */
export function hasHungUp(request: IncomingMessage): boolean {
  return request.destroyed && !request.readableEnded;
}

function cutShort(): PosternError {
  return new PosternError('unreadable_body', 'The body could not be read, because it is incomplete');
}

/** Decompresses a body. Stops if the client disconnects, because the body is not counted any more then. */
async function inflateWithin(
  inflater: Transform,
  bytes: Buffer,
  limitBytes: number,
  { socket }: IncomingMessage,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const hangUp = () => inflater.destroy(cutShort());
  socket.once('close', hangUp);
  if (socket.destroyed) hangUp();
  try {
    await pipeline(piecesOf(bytes), inflater, async (inflated: AsyncIterable<Buffer>) => {
      for await (const chunk of inflated) {
        length += chunk.length;
        if (length > limitBytes) throw tooLarge(limitBytes);
        chunks.push(chunk);
      }
    });
  } catch (error) {
    if (error instanceof PosternError) throw error;
    throw new PosternError(
      'unreadable_body',
      'The body could not be read, because it is not compressed with its Content-Encoding',
    );
  } finally {
    socket.off('close', hangUp);
  }
  return Buffer.concat(chunks);
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function tooLarge(limitBytes: number): PosternError {
  return new PosternError('body_too_large', `The body is larger than ${limitBytes} bytes`);
}
