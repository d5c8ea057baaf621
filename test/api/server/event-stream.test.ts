import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendEventStream } from '../../../src/api/http/event-stream.ts';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';
import { originOf } from '../../support/listen.ts';
import { openSocket } from '../../support/raw.ts';
import { until } from '../../support/until.ts';

/** Starts a server whose stream has more frames than its client reads. */
async function start() {
  let isOver = false;
  async function* frames() {
    while (!isOver) yield `data: ${'x'.repeat(100_000)}\n\n`;
  }
  const end = () => {
    isOver = true;
  };
  const key = { isRevoked: false };
  const responses: ServerResponse[] = [];
  const errors: Error[] = [];
  const server = createServer((_request, response) => {
    responses.push(response);
    response.on('error', (error) => errors.push(error));
    void sendEventStream(response, {
      frames: frames(),
      end,
      checkKey: async () => {
        if (key.isRevoked) throw new PosternError('key_revoked', 'Invalid API key: it was revoked');
      },
      frameOf: (reason) => `event: error\ndata: ${reason}\n\n`,
    });
  });
  const socket = await openSocket(await originOf(server));
  onTestFinished(() => {
    end();
    socket.destroy();
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return { socket, key, responses, errors };
}

test('writes nothing after the end of a stream whose key is revoked while its client does not read', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket, key, responses, errors } = await start();
  socket.pause();
  await until(() => expect(responses[0]?.writableNeedDrain).toBe(true));
  key.isRevoked = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(responses[0]?.writableEnded).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors).toEqual([]);
});

test('keeps no listeners of the times that it waited for its client', async () => {
  const { socket, responses } = await start();
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await until(() => expect(bytes).toBeGreaterThan(20_000_000));
  expect(responses[0]?.listenerCount('close')).toBeLessThan(6);
});
