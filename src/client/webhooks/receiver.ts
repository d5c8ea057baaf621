import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookEvent } from './events.ts';
import { crcResponseToken } from './signature.ts';
import { type Delivery, verify, WebhookVerificationError } from './verify.ts';

const bodyLimitBytes = 1024 * 1024;

export interface ReceiverOptions {
  secret: string | readonly string[];
  /** Its rejection is answered with 500, so that the event comes again. */
  onEvent: (event: WebhookEvent, delivery: Delivery) => void | Promise<void>;
}

/** What a receiver answers to a CRC handshake (SPEC.md): the JSON body of a 200. */
export function answerCrc(token: string, secret: string): { response_token: string } {
  return { response_token: crcResponseToken(token, secret) };
}

/**
 * A receiver for Express (`app.all('/hook', receiver({ … }))`, before anything that parses bodies) or `node:http`: it
 * answers the CRC handshake, checks every delivery and hands its event over.
 */
export function receiver({ secret, onEvent }: ReceiverOptions) {
  const [newest = ''] = typeof secret === 'string' ? [secret] : secret;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = new URL(request.url ?? '/', 'http://receiver').searchParams.get('crc_token');
    if (request.method === 'GET' && token !== null) return answer(response, 200, answerCrc(token, newest));
    if (request.method !== 'POST') return answer(response, 405, { error: 'GET with crc_token, or POST' });
    try {
      const body = await readRaw(request);
      const delivery = verify(body, request.headers, secret);
      await onEvent(JSON.parse(body.toString('utf8')) as WebhookEvent, delivery);
      answer(response, 200, {});
    } catch (error) {
      const refused = error instanceof WebhookVerificationError;
      answer(response, refused ? 401 : 500, { error: refused ? error.message : 'the event could not be handled' });
    }
  };
}

async function readRaw(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > bodyLimitBytes) throw new WebhookVerificationError('the body is too large');
    chunks.push(chunk as Buffer);
  }
  if (length === 0)
    throw new WebhookVerificationError('there is no body: mount the receiver before what parses bodies');
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}
