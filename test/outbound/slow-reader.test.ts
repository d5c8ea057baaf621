import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { describe, expect, test } from 'vitest';
import { limitedPool } from '../../src/outbound/limited-client.ts';
import { limitResponses } from '../../src/outbound/limited-exchange.ts';
import { listen } from '../support/listen.ts';

const body = 'x'.repeat(256 * 1024);
const endings: Record<string, (socket: Socket) => void> = {
  'a length': (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  'the end of the connection': (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`),
  chunks: (socket) =>
    socket.end(
      `HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ),
  'a length, kept alive': (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
};

let answer: (socket: Socket) => void;

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => answer(socket));
});
const origin = `http://127.0.0.1:${await listen(server)}`;

const open = () => limitedPool(origin, { connect: buildConnector({}) }).compose(limitResponses);

describe('a response that is read late arrives whole', () => {
  test.each(Object.entries(endings))('when it ends by %s', async (_name, end) => {
    answer = end;
    const client = open();
    const response = await client.request({ method: 'GET', path: '/' });
    // The connection ends in the meantime. If the parser is paused, undici would end the process.
    await sleep(100);
    expect((await response.body.text()).length).toBe(body.length);
    await client.destroy();
  });
});

test('a response that is read in small steps arrives whole, even if the connection ends between the steps', async () => {
  const client = limitedPool(origin, { connect: buildConnector({}) });
  for (let bytes = 100_000; bytes < 400_000; bytes += 10_000) {
    answer = (socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
    const response = await client.request({ method: 'GET', path: '/' });
    let received = 0;
    for await (const chunk of response.body) {
      received += (chunk as Buffer).length;
      await sleep(1);
    }
    expect(received).toBe(bytes);
  }
  await client.destroy();
});

describe('a response that is never read', () => {
  test.each(Object.entries(endings))('does no harm when it ends by %s and is given up', async (_name, end) => {
    answer = end;
    const client = open();
    const response = await client.request({ method: 'GET', path: '/' });
    await sleep(50);
    response.body.on('error', () => {}).destroy();
    await sleep(50);
    await client.destroy();
  });
});

test('a connection that is reset while its body is not read is an error of the body', async () => {
  answer = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${2 * body.length}\r\n\r\n${body}`);
    setTimeout(() => socket.resetAndDestroy(), 50);
  };
  const client = open();
  const response = await client.request({ method: 'GET', path: '/' });
  await sleep(150);
  await expect(response.body.text()).rejects.toThrow();
  await client.destroy();
});

test('a connection that ends after a response was read late is closed at once', async () => {
  const connect = buildConnector({});
  const sockets: Socket[] = [];
  const bytes = 100_000;
  answer = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
    setTimeout(() => socket.end(), 100);
  };
  const client = limitedPool(origin, {
    connect: (options, callback) =>
      connect(options, (...result) => {
        if (result[1]) sockets.push(result[1]);
        callback(...result);
      }),
  });
  const response = await client.request({ method: 'GET', path: '/' });
  // The whole response arrives while nobody reads it.
  await sleep(30);
  expect((await response.body.text()).length).toBe(bytes);
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed), { timeout: 1_500 }).toEqual([true]);
  await client.destroy();
});
