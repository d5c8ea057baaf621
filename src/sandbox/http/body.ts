import type { IncomingMessage } from 'node:http';
import type { Fields } from '../fields.ts';
import { Problem } from './problem.ts';

const LIMIT_BYTES = 1024 * 1024;

const tooLarge = (limit: number) => new Problem(413, 'payload_too_large', `The body is larger than ${limit} bytes`);

/**
 * Reads the JSON object or the form in a request body. Files of a form are buffers, and a name that a plain form gives twice has all its
 * values. Returns an empty object if the body is empty.
 */
export async function readBody(request: IncomingMessage, limitBytes = LIMIT_BYTES): Promise<Fields> {
  const bytes = await readBytes(request, limitBytes);
  const type = request.headers['content-type'] ?? '';
  let value: unknown;
  try {
    if (/^multipart\/form-data\b/i.test(type)) return await formFields(bytes, type);
    const text = bytes.toString('utf8');
    if (text.trim() === '') return {};
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) return plainFormFields(new URLSearchParams(text));
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, 'bad_request', 'The body is neither JSON nor a form', { field: 'body' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'bad_request', 'The body is not a JSON object', { field: 'body' });
  }
  return value as Fields;
}

function plainFormFields(form: URLSearchParams): Fields {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => [name, form.getAll(name).length > 1 ? form.getAll(name) : form.get(name)]),
  );
}

async function formFields(bytes: Buffer, type: string): Promise<Fields> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const fields = [...form].map(async ([name, value]) => [
    name,
    typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as Fields;
}

export function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
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
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // If the client has disconnected, nobody receives this error.
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Problem(400, 'bad_request', 'The body ended early', { field: 'body' }));
    });
  });
}
