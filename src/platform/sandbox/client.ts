import { PosternError } from '../../shared/errors/postern-error.ts';
import type { TakenMedia } from '../../shared/model/taken-media.ts';
import { type AnswerLimits, type PlatformAnswer, pageLimits, singleLimits } from '../http/answer.ts';
import type { Transport } from '../http/transport.ts';
import { InvalidResponseError, object, type Wire } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import { readProblem } from './problems.ts';

export interface SandboxRequest {
  /** The operationId in the contract, for metrics. */
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: Wire;
  /** The request body as bytes. Replaces `body`. */
  bytes?: Pick<TakenMedia, 'type' | 'size' | 'open'>;
  /** The time that the platform may delay its response to wait for events, in milliseconds. */
  waitMs?: number;
  /** Distinguishes several writes of the same operation in one call. A repeated call must use the same value. */
  part?: string;
  /** The number of items that a page is asked for. */
  count?: number;
  /** The limits of the response. Default: those of a page if there is a `count`, otherwise those of one object. */
  limits?: Partial<AnswerLimits>;
}

/** The size of the largest item of a page in bytes: a tweet of 25,000 characters that quotes another one. */
const maxItemBytes = 128 * 1024;

/** The HTTP client of the sandbox adapter. */
export class SandboxClient {
  readonly #transport: Transport;
  readonly #target: { readonly origin: string; readonly chosenBy: 'operator' };

  constructor(origin: string, transport: Transport) {
    this.#target = { origin: new URL(origin).origin, chosenBy: 'operator' };
    this.#transport = transport;
  }

  /**
   * Sends a request and returns the result of `read` for a 2xx response. Throws a `PosternError` for any other
   * response.
   */
  send<T>(request: SandboxRequest, call: PlatformCall | null, read: (body: Wire) => T): Promise<T> {
    const { operation, method, path, body, bytes, waitMs, limits = limitsOf(request) } = request;
    const text = body && JSON.stringify(body);
    const headers = headersOf(request, call);
    return this.#transport.send(
      { operation, target: this.#target, method, path, headers, text, bytes, waitMs, limits },
      call,
      async (answer) => read(await readAnswer(answer, request)),
    );
  }
}

function headersOf(request: SandboxRequest, call: PlatformCall | null): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (call) headers['cookie'] = `auth_token=${call.authToken.expose()}`;
  if (call && request.method !== 'GET')
    headers['idempotency-token'] = call.tokenFor(request.operation + (request.part ?? ''));
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.bytes) {
    headers['content-type'] = request.bytes.type;
    headers['content-length'] = String(request.bytes.size);
  }
  return headers;
}

function limitsOf({ count }: SandboxRequest): Partial<AnswerLimits> {
  return count === undefined ? singleLimits : pageLimits(count, maxItemBytes);
}

async function readAnswer(answer: PlatformAnswer, request: SandboxRequest): Promise<Wire> {
  const { status, retryAfter } = answer;
  if (status >= 500) throw new PosternError('platform_failed', `The platform failed with status ${status}`);
  if (status >= 300 && status < 400) throw new InvalidResponseError(`a redirect (status ${status})`);
  const body = await answer.json();
  if (status >= 400) throw readProblem(body, status, retryAfter);
  const fields = object(body, 'body');
  if (request.count !== undefined) cutLists(fields, request.count);
  return fields;
}

/** The names of the lists of pages. Other lists of a page, such as its key changes, may be longer than `count`. */
const pageLists = ['conversations', 'messages'];

/** Removes the items of a page that were not asked for before they are read. */
function cutLists(body: Wire, count: number): void {
  for (const name of pageLists) {
    const items = body[name];
    if (Array.isArray(items)) items.splice(count);
  }
}
