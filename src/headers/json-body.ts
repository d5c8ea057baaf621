import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { PosternError } from '../errors/postern-error.ts';
import { jsonFault, parseJson } from '../model/json.ts';

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip) as Inflate],
  ['deflate', promisify(inflate) as Inflate],
  ['br', promisify(brotliDecompress) as Inflate],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true });
const decodedAtOnce = 4 * 1024 * 1024;

export interface JsonBodyOptions {
  /** Of the body as it was sent, and of the body after decompression. */
  limitBytes: number;
  /** Accept `Content-Encoding: gzip`, `deflate` and `br`. */
  compressed?: boolean;
}

/**
 * Reads the JSON body of a request; `undefined` if it has none. Text that is not UTF-8 is refused, because replacing the
 * wrong bytes would change what the caller wrote. Throws `too_large`, `unsupported_media_type` or `bad_input`.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { limitBytes, compressed = false }: JsonBodyOptions,
): Promise<unknown> {
  // The body of a refused request is discarded by the server after the response.
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (!hasBody(request)) return undefined;
  requireJson(request);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const decompress = compressed ? inflaters.get(encoding) : undefined;
  if (encoding !== 'identity' && !decompress) throw unsupportedEncoding();
  const sent = await readBytes(request, limitBytes);
  const bytes = decompress ? await inflateWithin(decompress, sent, limitBytes) : sent;
  const text = await decode(bytes);
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw new PosternError('bad_input', `The body ${jsonFault(error)}`);
  }
}

export function unsupportedEncoding(): PosternError {
  return new PosternError('unsupported_media_type', 'The Content-Encoding of the body is not supported');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new PosternError('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json');
  }
  if (!/^utf-?8$/i.test(/;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8')) {
    throw new PosternError('unsupported_media_type', 'The body must be UTF-8');
  }
}

function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (hasHungUp(request)) return reject(cutShort());
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    const cut = () => {
      if (hasHungUp(request)) reject(cutShort());
    };
    request.once('error', cut);
    request.once('close', cut);
  });
}

/**
 * True after the client has hung up before all of its body was read, even if all of it has arrived. Such a request emits no event
 * besides `close`.
 */
export function hasHungUp(request: IncomingMessage): boolean {
  return request.destroyed && !request.readableEnded;
}

function cutShort(): PosternError {
  return new PosternError('bad_input', 'The body could not be read: it is cut short');
}

async function inflateWithin(decompress: Inflate, bytes: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limitBytes);
    throw new PosternError('bad_input', 'The body could not be read: it is not compressed as Content-Encoding says');
  }
}

/** A body of 24 MiB takes 0.12 s to decode, so others have their turn between slices, and before it is parsed. */
async function decode(bytes: Buffer): Promise<string> {
  try {
    if (bytes.length <= decodedAtOnce) return utf8.decode(bytes);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    for (let at = 0; at < bytes.length; at += decodedAtOnce) {
      text += decoder.decode(bytes.subarray(at, at + decodedAtOnce), { stream: true });
      await nextTurn();
    }
    return text + decoder.decode();
  } catch {
    throw new PosternError('bad_input', 'The body is not valid UTF-8');
  }
}

function tooLarge(limitBytes: number): PosternError {
  return new PosternError('too_large', `The body is larger than ${limitBytes} bytes`);
}
