import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Jetstream } from '../../../src/platform/atproto/jetstream.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { listen } from '../../support/listen.ts';
import { expectQuick } from '../../support/processor-time.ts';

/** Accepts the WebSocket handshake. */
function accept(socket: Socket, key: string): void {
  const answer = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket';
  socket.write(`${head}\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`);
}

/** Connects to a server that calls `answer` with the key of the WebSocket handshake. Returns the first outcome. */
async function firstOutcome(answer: (socket: Socket, key: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => answer(socket, /sec-websocket-key: (\S+)/i.exec(head.toString())?.[1] ?? ''));
  });
  const origin = `ws://127.0.0.1:${await listen(server)}`;
  return new Promise((resolve) => {
    const onConnection = (outcome: string) => {
      resolve(outcome);
      jetstream.close();
    };
    const jetstream = new Jetstream({ origin, runtime: systemRuntime, onConnection });
    jetstream.isQuietSince('did:plc:alice', 0);
  });
}

test('Jetstream: connects to a server that accepts the handshake', async () => {
  expect(await firstOutcome(accept)).toBe('connected');
});

test('Jetstream: connects less and less often to a server that closes each connection after one message', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      accept(socket, /sec-websocket-key: (\S+)/i.exec(head.toString())?.[1] ?? '');
      socket.end(Buffer.from([0x81, 2, 0x7b, 0x7d]));
    });
  });
  const origin = `ws://127.0.0.1:${await listen(server)}`;
  const pauses: number[] = [];
  const after = (ms: number, task: () => void) => {
    if (ms === 20_000) return systemRuntime.after(ms, task);
    pauses.push(ms);
    return systemRuntime.after(0, task);
  };
  const jetstream = new Jetstream({ origin, runtime: { ...systemRuntime, after }, onConnection: () => {} });
  jetstream.isQuietSince('did:plc:alice', 0);
  await expect.poll(() => pauses.length, { timeout: 20_000 }).toBeGreaterThan(8);
  jetstream.close();
  expect(pauses[7]).toBeGreaterThanOrEqual(30_000);
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
