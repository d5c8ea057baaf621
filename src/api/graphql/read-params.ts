import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MediaService } from '../../media/media-service.ts';
import type { ReceivedFile } from '../../media/received-file.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { jsonErrorReason, parseUntrustedJson } from '../../shared/json/untrusted-json.ts';
import { missingKey } from '../http/api-key.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import { readJsonBody, unsupportedEncoding } from '../http/json-body.ts';
import { refuseCredentialsInQuery } from '../http/request.ts';
import { isMultipart, readMultipart } from './read-multipart.ts';

/** The parameters of a GraphQL request before they are validated. */
export type Params = Readonly<Record<string, unknown>>;

const kinds: ReadonlyMap<string, 'text' | 'an object'> = new Map([
  ['query', 'text'],
  ['operationName', 'text'],
  ['documentId', 'text'],
  ['variables', 'an object'],
  ['extensions', 'an object'],
]);

const bodyLimitBytes = 1024 * 1024;
/** Callers without a key may send introspection documents only, which are a few kilobytes long. */
const anonymousBodyLimitBytes = 64 * 1024;

export interface Receipt {
  media: MediaService;
  bodies: BodyBudget;
  /** Receives the uploaded files of the request. */
  files: ReceivedFile[];
  /** The account id of the caller; `null` without a key. Only callers with a key may upload files. */
  account: string | null;
}

/** Reads the parameters from the query string of a GET or from the body of a POST. Throws `PosternError`. */
export async function readParams(
  request: IncomingMessage,
  response: ServerResponse,
  receipt: Receipt,
): Promise<Params> {
  const url = request.url ?? '';
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  refuseCredentialsInQuery(query.keys());
  const params = request.method === 'POST' ? await readBody(request, response, receipt) : readQuery(query);
  for (const [name, value] of Object.entries(params)) {
    if (value === null) continue;
    const kind = kinds.get(name);
    if (kind === undefined) throw malformedField(name, `is not one of ${[...kinds.keys()].join(', ')}`);
    if (kind === 'text' ? typeof value !== 'string' : !isObject(value)) throw malformedField(name, `must be ${kind}`);
  }
  return params;
}

async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { media, bodies, files, account }: Receipt,
): Promise<Params> {
  if (!isMultipart(request)) {
    const limitBytes = account === null ? anonymousBodyLimitBytes : bodyLimitBytes;
    if (account !== null) bodies.hold(request, response, account, limitBytes);
    const body = await readJsonBody(request, { limitBytes });
    if (isObject(body)) return body;
    throw new PosternError('unreadable_body', 'The body must be a JSON object with one operation');
  }
  if (account === null) throw missingKey();
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw unsupportedEncoding();
  return readMultipart(request, { media, account }, files);
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the parameters from a query string. Ignores unknown parameters. */
function readQuery(query: URLSearchParams): Params {
  const params: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const values = query.getAll(name);
    if (values.length > 1) throw new PosternError('malformed_field', `Malformed field: ${name}: given more than once`);
    const [text] = values;
    if (text) params[name] = kind === 'text' ? text : parseObject(name, text);
  }
  return params;
}

function parseObject(name: string, text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch (error) {
    throw malformedField(name, jsonErrorReason(error));
  }
}
