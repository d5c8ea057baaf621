import type { IncomingMessage } from 'node:http';
import type { Fields } from '../fields.ts';
import { Problem } from './problem.ts';

const LIMIT_BYTES = 1024 * 1024;

const tooLarge = (limit: number) => new Problem(413, 'payload_too_large', `The body is larger than ${limit} bytes`);

/** Reads the JSON object in a request body. Returns an empty object if the body is empty. */
export async function readBody(request: IncomingMessage, limitBytes = LIMIT_BYTES): Promise<Fields> {
  const text = await readText(request, limitBytes);
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'bad_request', 'The body is not JSON', { field: 'body' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'bad_request', 'The body is not a JSON object', { field: 'body' });
  }
  return value as Fields;
}

function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        // Read and discard the rest, because closing the connection now could lose the error response.
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(limitBytes));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    // If the client has disconnected, nobody receives this error.
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Problem(400, 'bad_request', 'The body ended early', { field: 'body' }));
    });
  });
}
