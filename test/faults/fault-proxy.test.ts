import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultProxy } from './fault-proxy.ts';

let server: Server;
let proxy: FaultProxy;
/** The bytes that the server received, and its ends of the connections. */
let heard: string;
let ends: Socket[];

beforeEach(async () => {
  heard = '';
  ends = [];
  server = createServer((socket) => {
    ends.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard += chunk;
      socket.write(`echo ${chunk}`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await FaultProxy.start((server.address() as AddressInfo).port);
});
afterEach(async () => {
  await proxy.close();
  server.close();
  for (const end of ends) end.destroy();
});

async function dial() {
  const socket = connect(proxy.port, '127.0.0.1');
  await once(socket, 'connect');
  const connection = {
    socket,
    said: '',
    /** The error code with which the connection broke, or `end` if the other side closed it. */
    broken: new Promise<string>((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on('close', () => resolve('end'));
    }),
    hear: () => once(socket, 'data'),
  };
  socket.on('data', (chunk) => {
    connection.said += chunk;
  });
  return connection;
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('passes bytes in both directions, in order', async () => {
  const { socket, hear } = await dial();
  for (const word of ['one', 'two', 'three']) {
    const answer = hear();
    socket.write(word);
    expect(String(await answer)).toBe(`echo ${word}`);
  }
  expect(heard).toBe('onetwothree');
});

test('passes the end of a connection on', async () => {
  const connection = await dial();
  connection.socket.end();
  expect(await connection.broken).toBe('end');
});

test('resets every open connection on both sides', async () => {
  const [first, second] = [await dial(), await dial()];
  for (const { socket, hear } of [first, second]) {
    socket.write('hello');
    await hear();
  }
  const serverEnds = Promise.all(ends.map((end) => new Promise((resolve) => end.on('close', resolve))));
  proxy.reset();
  expect(await Promise.all([first.broken, second.broken])).toEqual(['ECONNRESET', 'ECONNRESET']);
  await serverEnds;
  expect(proxy.counts).toEqual({ connections: 2, resets: 2 });
});

test('delays bytes', async () => {
  const connection = await dial();
  proxy.delay(100);
  const sentAt = performance.now();
  connection.socket.write('late');
  while (heard !== 'late') await pause(5);
  expect(performance.now() - sentAt).toBeGreaterThan(95);
});

test('keeps the order of bytes when a delay ends', async () => {
  const connection = await dial();
  proxy.delay(100);
  connection.socket.write('late');
  await pause(20);
  proxy.heal();
  connection.socket.write(' later');
  while (heard.length < 'late later'.length) await pause(5);
  expect(heard).toBe('late later');
});

test('discards the response of the server, and then resets the connection', async () => {
  const connection = await dial();
  proxy.become('lose-answers');
  connection.socket.write('charge');
  while (heard !== 'charge') await pause(5);
  await pause(50);
  expect(connection.said).toBe('');
  proxy.heal();
  expect(await connection.broken).toBe('ECONNRESET');
});

test('leaves connections half-open: neither side receives bytes or notices that the other has closed', async () => {
  const connection = await dial();
  connection.socket.write('hello');
  await connection.hear();
  proxy.become('silent');
  connection.socket.write('anyone?');
  ends[0]?.destroy();
  await pause(100);
  expect(heard).toBe('hello');
  expect(connection.said).toBe('echo hello');
  expect(connection.socket.destroyed).toBe(false);
  proxy.heal();
  expect(await connection.broken).toBe('ECONNRESET');
});

test('resets a connection if the server does not listen', async () => {
  server.close();
  for (const end of ends) end.destroy();
  const connection = await dial();
  expect(['ECONNRESET', 'EPIPE']).toContain(await connection.broken);
});

test('passes bytes again once it is healed', async () => {
  await dial();
  proxy.become('silent');
  proxy.heal();
  const { socket, hear } = await dial();
  socket.write('back');
  expect(String((await hear())[0])).toBe('echo back');
});
