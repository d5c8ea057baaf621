import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from './listen.ts';

export interface ReceivedRequest {
  method: string;
  /** The path and the query as received. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The raw text. */
  body: string;
}

export interface ReceiverReply {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** The delay before the response. */
  delayMs?: number;
}

type Answer = (request: ReceivedRequest) => ReceiverReply | Promise<ReceiverReply>;

export interface ReceiverOptions {
  /** The secret with which CRC handshakes are answered. */
  secret?: string;
  /** Returns the response to a delivery. The default is 200. It is not called for handshakes. */
  answer?: Answer;
}

export interface TestReceiver {
  /** `http://localhost:<port>/hook`. */
  url: string;
  /** All received requests, including handshakes. */
  requests: ReceivedRequest[];
  /** The received deliveries in order. */
  readonly deliveries: ReceivedRequest[];
  /** The secret for later CRC handshakes. */
  secret: string;
  /** Sets the response to later deliveries. */
  answerWith(answer: Answer): void;
  /** Sets the response to later handshakes. `null` restores signing. */
  answerCrcWith(answer: Answer | null): void;
  stop(): Promise<void>;
}

/** Starts a webhook receiver, which ends with the test. `answerWith` and `answerCrcWith` change its responses. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<TestReceiver> {
  let answer: Answer = options.answer ?? (() => ({ status: 200 }));
  const sign: Answer = ({ url }) => ({
    status: 200,
    body: JSON.stringify({ response_token: signed(crcToken(url) ?? '', receiver.secret) }),
  });
  let answerCrc = sign;
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: await text(request) };
    requests.push(received);
    const token = method === 'GET' ? crcToken(url) : null;
    const reply = await (token === null ? answer(received) : answerCrc(received));
    if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body ?? '{}');
  });
  const receiver: TestReceiver = {
    url: `http://localhost:${await listen(server, 'localhost')}/hook`,
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
    stop: () => close(server),
  };
  return receiver;
}

function crcToken(url: string): string | null {
  return new URL(url, 'http://receiver').searchParams.get('crc_token');
}

function signed(text: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;
}
