import { connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { originOf } from '../../support/listen.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const sockets = new Set<Socket>();

/** A server between the gateway and the sandbox that responds to searches with the request that it received. */
function answerOf(request: string): string | null {
  if (!request.startsWith('GET /2/tweets/search/all')) return null;
  if (request.includes('query=raw')) return `this is no HTTP: ${request}`;
  if (!request.includes('query=problem')) return null;
  const body = JSON.stringify({ type: request.slice(0, 60), title: request, detail: request });
  return `HTTP/1.1 418 Teapot\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const platform = await startSandbox({ port: 0, dataDir: null });
const relay = createServer((socket) => {
  const onward = connect(Number(new URL(platform.url).port), '127.0.0.1');
  for (const each of [socket, onward]) {
    sockets.add(each);
    each.on('error', () => {});
  }
  onward.pipe(socket);
  socket.on('data', (bytes) => {
    const answer = answerOf(bytes.toString());
    if (answer === null) onward.write(bytes);
    else socket.end(answer);
  });
  socket.on('close', () => onward.destroy());
});
afterAll(() => platform.close());
const PLATFORM_URL = await originOf(relay);
const { service, ada: client } = await useService({ PLATFORM_URL, PLATFORM_KIND: 'sandbox', LOG_LEVEL: 'trace' });

test.each(['raw', 'problem'])('a platform that repeats a request (%s) puts no token into the log', async (q) => {
  expectRefusal(await client.get('/tweet/advanced_search', { q }), 502);
  const log = service.log.join('');
  expect(log).toContain('platform_un');
  expect(log).not.toContain(client.options.authToken);
  expect(log).not.toContain('/2/tweets');
});
