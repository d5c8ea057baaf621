import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readMultipart } from '../../../src/api/graphql/read-multipart.ts';
import { BodyBudget } from '../../../src/api/http/body-budget.ts';
import { readJsonBody } from '../../../src/api/http/json-body.ts';
import type { MediaService } from '../../../src/media/media-service.ts';
import { originOf } from '../../support/listen.ts';
import { openSocket } from '../../support/raw.ts';

const server = createServer();
const origin = await originOf(server);

/** Returns a request whose client disconnected while it was handled, usually before its body was complete. */
async function hungUp(type: string, body?: string): Promise<{ request: IncomingMessage; response: ServerResponse }> {
  const arrived = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const socket = await openSocket(origin);
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body?.length ?? 90_000}\r\n\r\n${body ?? ''}`,
  );
  const [request, response] = await arrived;
  if (body !== undefined) await expect.poll(() => request.complete).toBe(true);
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  return { request, response };
}

const cutShort = /is incomplete/;
const limitBytes = 100_000;

describe('a client that hangs up while its API key is looked up', () => {
  test('does not keep a request waiting for a JSON body', async () => {
    const { request } = await hungUp('application/json');
    await expect(readJsonBody(request, { limitBytes })).rejects.toThrow(cutShort);
  });

  test('does not keep a request waiting for a body that has arrived but was not read', async () => {
    const { request } = await hungUp('application/json', '{}');
    await expect(readJsonBody(request, { limitBytes })).rejects.toThrow(cutShort);
  });

  test('does not keep a request waiting for a multipart body', async () => {
    const { request } = await hungUp('multipart/form-data; boundary=b');
    const media = {} as MediaService;
    await expect(readMultipart(request, { media, account: 'a' }, [])).rejects.toThrow(cutShort);
  });

  test('releases the memory that is reserved for its body', async () => {
    const bodies = new BodyBudget({ ofAccount: limitBytes, ofAll: limitBytes });
    for (let n = 0; n < 3; n++) {
      const { request, response } = await hungUp('application/json');
      bodies.hold(request, response, 'a', limitBytes);
    }
  });
});
