import type { WebhookEvent } from './events.ts';
import { requireSecrets } from './hmac.ts';
import { answerCrc, type Delivery, type ReceivedHeaders, verify, WebhookVerificationError } from './verify.ts';

const bodyLimitBytes = 1024 * 1024;

export interface ReceiverOptions {
  secret: string | readonly string[];
  /** Handles an event. If it rejects, the receiver responds with 500 and the event is delivered again. */
  onEvent: (event: WebhookEvent, delivery: Delivery) => void | Promise<void>;
}

/** The properties of a `node:http` or Express request that the receiver reads. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The methods of a `node:http` or Express response that the receiver calls. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

interface Reply {
  status: number;
  body: object;
}

/**
 * Creates a receiver for `node:http` or Express. With Express, add it before middleware that parses bodies:
 * `app.all('/hook', receiver({ … }))`. The receiver responds to the CRC handshake, verifies deliveries and passes their
 * events to `onEvent`.
 */
export function receiver(options: ReceiverOptions) {
  const reply = replyTo(options);
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, body } = await reply(request, request);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
}

/**
 * Creates a receiver for servers that pass a `Request`: `Deno.serve`, `Bun.serve`, Cloudflare Workers, Hono and
 * Next.js.
 */
export function fetchReceiver(options: ReceiverOptions) {
  const reply = replyTo(options);
  return async (request: Request): Promise<Response> => {
    const unread = request.bodyUsed ? null : request.body;
    const { status, body } = await reply(request, unread === null ? [] : chunksOf(unread));
    return Response.json(body, { status });
  };
}

interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: ReceivedHeaders;
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

function replyTo({ secret, onEvent }: ReceiverOptions) {
  const [newest] = requireSecrets(secret);
  return async ({ method, url = '', headers }: RequestHead, chunks: Chunks): Promise<Reply> => {
    // `new URL` is not used, because it throws for a path such as `//`.
    const token = new URLSearchParams(url.replace(/^[^?]*/, '')).get('crc_token');
    try {
      if (method === 'GET' && token !== null) return { status: 200, body: answerCrc(token, newest) };
      if (method !== 'POST') return { status: 405, body: { error: 'GET with crc_token, or POST' } };
      const body = await readRaw(chunks);
      const delivery = verify(body, headers, secret);
      await onEvent(JSON.parse(new TextDecoder().decode(body)) as WebhookEvent, delivery);
      return { status: 200, body: {} };
    } catch (error) {
      if (error instanceof WebhookVerificationError) return { status: 401, body: { error: error.message } };
      return { status: 500, body: { error: 'the event could not be handled' } };
    }
  };
}

async function readRaw(chunks: Chunks): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > bodyLimitBytes) throw new WebhookVerificationError('the body is too large');
    kept.push(chunk);
  }
  if (length === 0)
    throw new WebhookVerificationError('there is no body: mount the receiver before what parses bodies');
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of kept) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Reads a stream chunk by chunk, because some runtimes cannot iterate over a `ReadableStream`. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
