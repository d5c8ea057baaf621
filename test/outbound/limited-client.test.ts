import { createServer, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { describe, expect, test } from 'vitest';
import { ServerMisbehavedError } from '../../src/outbound/errors.ts';
import { LimitedClient, limitedPool } from '../../src/outbound/limited-client.ts';
import { limitResponses } from '../../src/outbound/limited-exchange.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';
import { expectQuick } from '../support/processor-time.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const headers = (bytes: number) => 'a:\r\n'.repeat(bytes / 4);

let answer: (socket: Socket) => void;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => answer(socket));
});
const origin = `http://127.0.0.1:${await listen(server)}`;

const endless = (first: string, again: string) => (socket: Socket) => {
  const text = again.repeat(Math.ceil(65_536 / again.length));
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', write);
  socket.write(first);
  write();
};

async function get(): Promise<string> {
  const client = limitedPool(origin, { connect: buildConnector({}) });
  atEnd(() => client.destroy());
  const { body } = await client.compose(limitResponses).request({ method: 'GET', path: '/' });
  return body.text();
}

describe('LimitedClient: a response with too many bytes outside its body', () => {
  test.each<[string, string, string]>([
    ['headers', ok, 'a:\r\n'],
    ['long headers', ok, `a: ${'x'.repeat(300)}\r\n`],
    ['cookies', ok, 'Set-Cookie: a=b\r\n'],
    ['different headers', ok, Array.from({ length: 8_000 }, (_, at) => `k${at.toString(36)}:\r\n`).join('')],
    ['one header', `${ok}a: `, 'x'],
    ['one header name', ok, 'x'],
    ['the reason phrase', 'HTTP/1.1 200 ', 'x'],
    ['headers of 204', 'HTTP/1.1 204 No Content\r\n', 'a:\r\n'],
    ['headers of 304', 'HTTP/1.1 304 Not Modified\r\n', 'a:\r\n'],
    ['headers of 103', 'HTTP/1.1 103 Early Hints\r\n', 'a:\r\n'],
    ['several informational responses', '', `HTTP/1.1 103 Early Hints\r\n${headers(8_000)}\r\n`],
    ['trailers', `${chunked}0\r\n`, 'a:\r\n'],
    ['trailers after a body', `${chunked}8000\r\n${'x'.repeat(0x8000)}\r\n0\r\n`, 'a:\r\n'],
    ['a chunk extension', `${chunked}1;`, 'x'],
    ['a chunk size', chunked, '0'],
  ])('%s: fails within 60 ms of processor time', async (_name, first, again) => {
    answer = endless(first, again);
    await expectQuick(60, () => expect(get()).rejects.toThrow(ServerMisbehavedError));
  });

  test.each<[string, string, string]>([
    ['folded headers', `${ok}a: b\r\n`, ' b\r\n'],
    ['headers without CR', ok, 'a:\n'],
    ['headers without a name', ok, ':\r\n'],
    ['informational responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['chunks of one byte', chunked, '1\r\nx\r\n'],
    ['chunks of one byte with extensions', chunked, `1;${'x'.repeat(100)}\r\nx\r\n`],
  ])('%s: fails within 150 ms of processor time', async (_name, first, again) => {
    answer = endless(first, again);
    await expectQuick(150, () => expect(get()).rejects.toThrow());
  });

  test('fails for CONNECT within 60 ms of processor time', async () => {
    answer = endless(ok, 'a:\r\n');
    await expectQuick(60, async () => {
      const client = new LimitedClient(origin, { connect: buildConnector({}) });
      atEnd(() => client.destroy());
      await expect(client.connect({ path: 'a:1' })).rejects.toThrow(ServerMisbehavedError);
    });
  });
});

describe('LimitedClient: a response within the limits', () => {
  test.each<[string, string, string]>([
    ['headers of 15 KiB', `${ok}${headers(15_360)}content-length: 1\r\n\r\nx`, 'x'],
    [
      'three informational responses',
      `${`HTTP/1.1 103 Early Hints\r\n${headers(4_000)}\r\n`.repeat(3)}${ok}\r\nx`,
      'x',
    ],
    ['trailers of 15 KiB', `${chunked}1\r\nx\r\n0\r\n${headers(15_360)}\r\n`, 'x'],
    [
      'chunk extensions',
      `${chunked}${`8;a=${'b'.repeat(100)}\r\nxxxxxxxx\r\n`.repeat(5_000)}0\r\n\r\n`,
      'x'.repeat(40_000),
    ],
  ])('reads %s', async (_name, response, body) => {
    answer = (socket) => socket.end(response);
    expect(await get()).toBe(body);
  });

  test('passes a tunnel on unchanged', async () => {
    const tunnelled = 'x'.repeat(200_000);
    answer = (socket) => socket.end(`${ok}\r\n${tunnelled}`);
    const client = new LimitedClient(origin, { connect: buildConnector({}) });
    const { socket } = await client.connect({ path: 'a:1' });
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).toBe(tunnelled.length);
    await client.destroy();
  });
});

test('LimitedClient: parses responses that arrive together in several turns of the event loop', async () => {
  const sockets: Socket[] = [];
  const count = 60;
  let turns = 0;
  let isOver = false;
  const countTurn = () => {
    turns += 1;
    if (!isOver) setImmediate(countTurn);
  };
  answer = (socket) => {
    if (sockets.push(socket) < count) return;
    for (const each of sockets) each.end(`${ok}${headers(15_360)}\r\n`);
    countTurn();
  };
  await Promise.all(Array.from({ length: count }, get));
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
