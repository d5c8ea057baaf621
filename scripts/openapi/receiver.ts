// Starts a webhook receiver on this machine for the examples of the API description.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCrc } from '../../src/client/webhooks/index.ts';

/** Answers handshakes with `secret`, which may be changed, and all other requests with 200. */
export interface Receiver {
  url: string;
  secret: string;
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = { url: '', secret: 'a-secret-of-at-least-16', stop: () => server.close() };
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('crc_token');
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.setHeader('connection', 'close');
    response.end(JSON.stringify(token === null ? {} : answerCrc(token, receiver.secret)));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/postern`;
  return receiver;
}
