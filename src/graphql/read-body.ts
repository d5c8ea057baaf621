import type { IncomingMessage } from 'node:http';
import { PosternError } from '../errors/postern-error.ts';

const bodyLimitBytes = 1024 * 1024;
/** Bytes that are no text are refused: replaced by something else they would be another text. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON object of a POST. Throws `unsupported_media_type`, `too_large` or `bad_input`. */
export async function readJsonBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new PosternError('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json');
  }
  if (!/^utf-?8$/i.test(/;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8')) {
    throw new PosternError('unsupported_media_type', 'The body must be UTF-8');
  }
  refuseEncoded(request);
  const bytes = await readBytes(request);
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new PosternError('bad_input', 'The body is not valid JSON, or not UTF-8');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PosternError('bad_input', 'The body must be a JSON object: one operation a request');
  }
  return body as Readonly<Record<string, unknown>>;
}

/** Throws `unsupported_media_type` for a body that is packed. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding === 'identity') return;
  throw new PosternError('unsupported_media_type', 'The Content-Encoding of the body is not supported');
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  // What still comes is dropped by the server after the answer.
  if (Number(request.headers['content-length'] ?? 0) > bodyLimitBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyLimitBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    const cut = () => {
      if (!request.complete) reject(new PosternError('bad_input', 'The body could not be read: it is cut short'));
    };
    request.once('error', cut);
    request.once('close', cut);
  });
}

function tooLarge(): PosternError {
  return new PosternError('too_large', `The body is larger than ${bodyLimitBytes} bytes`);
}
