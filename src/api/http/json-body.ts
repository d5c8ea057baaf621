import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { JsonLimits, jsonFault } from '../../shared/model/json.ts';
import { turn } from '../../shared/runtime/turns.ts';

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip) as Inflate],
  ['deflate', promisify(inflate) as Inflate],
  ['br', promisify(brotliDecompress) as Inflate],
]);

const byteOrderMark = Buffer.from('\ufeff');
/** Bytes that are checked and decoded in one turn of the event loop. Text that is not ASCII takes 5 ms. */
const sliceBytes = 1024 * 1024;

export interface JsonBodyOptions {
  /** The limit of the body as sent, and of the body after decompression. */
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
  if (!isUtf8(bytes)) throw new PosternError('unreadable_body', 'The body is not valid UTF-8');
  return await parse(startsWith(bytes, byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes);
}

/** Parses UTF-8 within the limits of `parseJson`. A large body is checked, decoded and parsed in turns of the event loop. */
async function parse(bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  try {
    const limits = new JsonLimits();
    let text = '';
    for (let from = 0; from < bytes.length; ) {
      const slice = bytes.subarray(from, startOfCharacter(bytes, from + sliceBytes));
      limits.check(slice);
      text += slice.toString();
      from += slice.length;
      if (bytes.length > sliceBytes) await turn();
    }
    if (bytes.length > sliceBytes) {
      // V8 joins the slices when a character is read: up to 48 MB, in a turn before the one that parses.
      text.charCodeAt(0);
      await turn();
    }
    return JSON.parse(text);
  } catch (error) {
    throw new PosternError('unreadable_body', `The body ${jsonFault(error)}`);
  }
}

/** Returns the position at which the character at `position` begins (RFC 3629: further bytes are 10xxxxxx). */
function startOfCharacter(bytes: Buffer, position: number): number {
  let start = Math.min(position, bytes.length);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
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
 * Returns true if the client hung up before its whole body was read, even if the whole body has arrived. Such a request emits no
 * event besides `close`.
 */
export function hasHungUp(request: IncomingMessage): boolean {
  return request.destroyed && !request.readableEnded;
}

function cutShort(): PosternError {
  return new PosternError('unreadable_body', 'The body could not be read: it is cut short');
}

async function inflateWithin(decompress: Inflate, bytes: Buffer, limitBytes: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(limitBytes);
    throw new PosternError(
      'unreadable_body',
      'The body could not be read: it is not compressed as Content-Encoding says',
    );
  }
}

function tooLarge(limitBytes: number): PosternError {
  return new PosternError('body_too_large', `The body is larger than ${limitBytes} bytes`);
}
