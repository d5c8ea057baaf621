import type { IncomingMessage } from 'node:http';
import { PosternError } from '../errors/postern-error.ts';
import { readJsonBody } from './read-body.ts';

/** What a request asks for, as it was sent. */
export type Params = Readonly<Record<string, unknown>>;

const texts = ['query', 'operationName', 'documentId'];
const objects = ['variables', 'extensions'];

/** The parameters of a GET's query string, or of a POST's body. Throws `PosternError`. */
export async function readParams(request: IncomingMessage): Promise<Params> {
  const params = request.method === 'POST' ? await readJsonBody(request) : readQuery(request.url ?? '');
  for (const name of texts) require(params, name, 'text', (value) => typeof value === 'string');
  for (const name of objects) require(params, name, 'an object', isObject);
  return params;
}

function require(params: Params, name: string, what: string, is: (value: unknown) => boolean): void {
  const value = params[name];
  if (value == null || is(value)) return;
  throw new PosternError('bad_input', `Malformed field: ${name}: must be ${what}`, { field: name });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Others are passed over; a credential among them is none. */
function readQuery(url: string): Params {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const params: Record<string, unknown> = {};
  for (const name of [...texts, ...objects]) {
    const values = query.getAll(name);
    if (values.length > 1) throw new PosternError('bad_input', `Malformed field: ${name}: given more than once`);
    const [text] = values;
    if (text) params[name] = texts.includes(name) ? text : parseObject(name, text);
  }
  return params;
}

function parseObject(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's message would quote it.
    throw new PosternError('bad_input', `Malformed field: ${name}: is not valid JSON`, { field: name });
  }
}
