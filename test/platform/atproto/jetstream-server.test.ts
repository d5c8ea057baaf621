import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Jetstream } from '../../../src/platform/atproto/jetstream.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { expectQuick } from '../../support/processor-time.ts';

/** Connects to a server that calls `answer` with the key of the WebSocket handshake. Returns the first outcome. */
async function firstOutcome(answer: (socket: Socket, key: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => answer(socket, /sec-websocket-key: (\S+)/i.exec(head.toString())?.[1] ?? ''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new Promise((resolve) => {
    const onConnection = (outcome: string) => {
      resolve(outcome);
      jetstream.close();
      server.close();
    };
    const jetstream = new Jetstream({ origin, runtime: systemRuntime, onConnection });
    jetstream.isQuietSince('did:plc:alice', 0);
  });
}

test('Jetstream: connects to a server that accepts the handshake', async () => {
  const outcome = await firstOutcome((socket, key) => {
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket';
    socket.write(`${head}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  });
  expect(outcome).toBe('connected');
});

test('Jetstream: loses a connection with endless headers within 100 ms of processor time', async () => {
  await expectQuick(100, async () => {
    const outcome = await firstOutcome((socket) => {
      const write = () => {
        while (!socket.destroyed && socket.write('a:\r\n'.repeat(16_000)));
      };
      socket.on('drain', write);
      socket.write('HTTP/1.1 101 Switching Protocols\r\n');
      write();
    });
    expect(outcome).toBe('lost');
  });
});
