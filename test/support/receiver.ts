import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  /** The path with its query, as it was sent. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The raw text. */
  body: string;
}

export interface ReceiverReply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** How long to keep the caller waiting. */
  delayMs?: number;
}

type Answer = (request: ReceivedRequest) => ReceiverReply | Promise<ReceiverReply>;

export interface ReceiverOptions {
  /** Answers CRC handshakes. */
  secret?: string;
  /** Answers deliveries; 200 if left out. Handshakes are not asked of it. */
  answer?: Answer;
}

export interface TestReceiver {
  /** `http://localhost:<port>/hook`. */
  url: string;
  /** All that came, handshakes included. */
  requests: ReceivedRequest[];
  /** The deliveries alone, in the order in which they came. */
  readonly deliveries: ReceivedRequest[];
  /** Answers later CRC handshakes. */
  secret: string;
  /** Answers later deliveries. */
  answerWith(answer: Answer): void;
  /** Answers later handshakes, instead of signing their token; `null` signs again. */
  answerCrcWith(answer: Answer | null): void;
  stop(): Promise<void>;
}

/** A receiver of webhooks as a user of the service would write one, and that can be told to misbehave. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<TestReceiver> {
  let answer: Answer = options.answer ?? (() => ({ status: 200 }));
  const sign: Answer = ({ url }) => ({
    status: 200,
    body: JSON.stringify({ response_token: signed(crcToken(url) ?? '', receiver.secret) }),
  });
  let answerCrc = sign;
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    requests.push(received);
    const token = method === 'GET' ? crcToken(url) : null;
    const reply = await (token === null ? answer(received) : answerCrc(received));
    if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body ?? '{}');
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const receiver: TestReceiver = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/hook`,
    requests,
    get deliveries() {
      return requests.filter(({ method }) => method === 'POST');
    },
    secret: options.secret ?? 'a-secret-of-at-least-16',
    answerWith: (given) => {
      answer = given;
    },
    answerCrcWith: (given) => {
      answerCrc = given ?? sign;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

function crcToken(url: string): string | null {
  return new URL(url, 'http://receiver').searchParams.get('crc_token');
}

function signed(text: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;
}
