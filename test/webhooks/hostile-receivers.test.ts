import { setMaxListeners } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { OutgoingConnections } from '../../src/outbound/connection-limiter.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { Receivers } from '../../src/webhooks/delivery/receiver.ts';
import { flood, listen as listenRaw } from '../proxy/forward-proxy.ts';
import { selfSigned } from '../proxy/self-signed.ts';
import { listen } from '../support/listen.ts';
import { patientRuntime as runtime } from '../support/patient-runtime.ts';

const tls = selfSigned();
const connections = new OutgoingConnections();

const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime });
const receivers = new Receivers({ guard, runtime, allowLocalhost: true, ca: tls.cert, connections });
afterAll(() => receivers.close());

async function receiverThat(behave: (socket: Socket) => void) {
  const { name, ...receiver } = await listenRaw(behave);
  return { ...receiver, url: new URL(`http://localhost:${name.split(':')[1]}/hook`) };
}

const answering = (answer: (socket: Socket) => void) => (socket: Socket) =>
  void socket.once('data', () => answer(socket));

describe('one attempt opens one connection to a receiver that', () => {
  test.each<[string, string | RegExp, (socket: Socket) => void]>([
    ['sends a byte at once', /the connection broke|closes connections before/, (socket) => void socket.write('x')],
    ['closes at once', /the connection broke|closes connections before/, (socket) => void socket.end()],
    ['resets at once', /the connection broke|closes connections before/, (socket) => void socket.resetAndDestroy()],
    [
      'answers nonsense',
      'the connection broke (HTTPParserError)',
      answering((socket) => void socket.write('nonsense\r\n\r\n')),
    ],
    [
      'answers with endless 103',
      'it sends informational responses without an end',
      answering((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')),
    ],
    [
      'answers with endless 102',
      'it sends informational responses without an end',
      answering((socket) => flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n')),
    ],
    [
      'answers with 100',
      'the connection broke (UND_ERR_SOCKET)',
      answering((socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
    ],
    [
      'answers with endless headers',
      'it sends headers, trailers or chunk extensions that are too long',
      answering((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, 'x: yyyyyyyyyyyyy\r\n');
      }),
    ],
    [
      'answers with endless chunk extensions',
      'it sends headers, trailers or chunk extensions that are too long',
      answering((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
        flood(socket, 'x'.repeat(1_000));
      }),
    ],
  ])('%s', async (_, fault, behave) => {
    const { url, accepted } = await receiverThat(behave);
    const usage = process.cpuUsage();
    const answer = await receivers.post('acc', url, {}, '{}');
    expect(answer).toMatchObject({ reason: typeof fault === 'string' ? fault : expect.stringMatching(fault) });
    const { user, system } = process.cpuUsage(usage);
    expect((user + system) / 1_000).toBeLessThan(2_000);
    expect(accepted()).toBe(1);
    await expect.poll(() => connections.receiver.open).toBe(0);
    expect(connections.receiver.hosts).toBe(0);
  });

  test('sends one byte at a time over TLS', async () => {
    let accepted = 0;
    const server = createTlsServer(tls, (socket) => {
      accepted += 1;
      socket.on('error', () => {});
      socket.write('x');
    });
    const answer = await receivers.post('acc', new URL(`https://127.0.0.1:${await listen(server)}/`), {}, '{}');
    expect(answer).toMatchObject({ reason: expect.stringMatching(/the connection broke|closes connections before/) });
    expect(accepted).toBe(1);
  });

  test('sends a few informational responses first, which are accepted', async () => {
    const { url } = await receiverThat(
      answering(
        (socket) => void socket.write(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5)}HTTP/1.1 204 No Content\r\n\r\n`),
      ),
    );
    expect(await receivers.post('acc', url, {}, '{}')).toMatchObject({ status: 204 });
  });
});

describe('a slow host', async () => {
  const waiting: ServerResponse[] = [];
  let mostOpen = 0;
  let mostWaiting = 0;
  const open = new Set<Socket>();
  const server = createHttpServer((_request, response) => {
    waiting.push(response);
    mostWaiting = Math.max(mostWaiting, waiting.length);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    mostOpen = Math.max(mostOpen, open.size);
    socket.on('close', () => open.delete(socket));
  });
  const url = new URL(`http://localhost:${await listen(server, 'localhost')}/hook`);

  const answerAll = () => {
    for (const response of waiting.splice(0)) response.end('{}');
  };

  test('gets 64 requests at a time for deliveries of one account to 200 webhooks, 8 each, and all of them arrive', async () => {
    const timer = setInterval(answerAll, 100);
    const answers = await Promise.all(Array.from({ length: 1_600 }, () => receivers.post('acc', url, {}, '{}')));
    clearInterval(timer);
    expect(answers.every((answer) => 'status' in answer && answer.status === 200)).toBe(true);
    expect(mostWaiting).toBe(64);
    // undici frees a connection one turn after the end of the response.
    expect(mostOpen).toBeLessThanOrEqual(128);
    expect(connections.receiver.hosts).toBe(0);
  });

  test('does not delay another host, and given up deliveries leave the queue', async () => {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const stuck = Array.from({ length: 400 }, () => receivers.post('acc', url, {}, '{}', ended.signal));
    await expect.poll(() => waiting.length).toBe(64);
    const other = await receiverThat(answering((socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')));
    other.url.hostname = '127.0.0.1';
    const tcp = new URL(`https://127.0.0.1:${other.url.port}/`);
    // The server has no TLS. Only the fact that it is reached matters.
    expect(await receivers.post('acc', tcp, {}, '{}')).toMatchObject({ reason: expect.stringMatching(/TLS|broke/) });
    expect(other.accepted()).toBe(1);
    ended.abort();
    await Promise.all(stuck);
    await expect.poll(() => connections.receiver.hosts).toBe(0);
    expect(waiting.splice(0)).toHaveLength(64);
  });

  test('serves another account at once while one account uses its whole share', async () => {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const stuck = Array.from({ length: 800 }, () => receivers.post('acc', url, {}, '{}', ended.signal));
    await expect.poll(() => waiting.length).toBe(64);
    const other = receivers.post('other', url, {}, '{}');
    await expect.poll(() => waiting.length).toBe(65);
    waiting.pop()?.end('{}');
    expect(await other).toMatchObject({ status: 200 });
    ended.abort();
    await Promise.all(stuck);
    await expect.poll(() => connections.receiver.hosts).toBe(0);
    waiting.splice(0);
  });

  test('is reported for a delivery that had to wait for its connection', async () => {
    const stuck = Array.from({ length: 64 }, () => receivers.post('acc', url, {}, '{}'));
    await sleep(1_200);
    expect(await receivers.post('acc', url, {}, '{}')).toMatchObject({
      reason: expect.stringMatching(
        /^no response within 10 s; the request waited for \d+ s of them because of too many other requests to the same host$/,
      ),
    });
    for (const answer of await Promise.all(stuck)) expect(answer).toMatchObject({ reason: 'no response within 10 s' });
    waiting.splice(0);
  });
});

test('connections of handshakes are closed, and those of deliveries are kept for the next one', async () => {
  const own = new OutgoingConnections();
  const guard = new OutboundGuard({ runtime });
  const asking = new Receivers({ guard, runtime, allowLocalhost: true, connections: own });
  const server = createHttpServer((_request, response) => void response.end('{}'));
  const url = new URL(`http://localhost:${await listen(server, 'localhost')}/`);
  for (let i = 0; i < 5; i++) await asking.get('acc', url);
  await expect.poll(() => own.receiver.open).toBe(0);
  for (let i = 0; i < 5; i++) await asking.post('acc', url, {}, '{}');
  // undici frees a connection one turn after the end of the response, so the next request may have opened a second one.
  expect([1, 2]).toContain(own.receiver.open);
  await asking.close();
  await expect.poll(() => own.receiver.open).toBe(0);
});
