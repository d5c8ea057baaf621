import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { endResponse } from '../../../src/api/http/end-response.ts';
import { UnreadResponses } from '../../../src/api/server/unread-responses.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { openSocket } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';

const MiB = 1024 * 1024;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server that answers `/<account>/<bytes>` with so many bytes, and sweeps every 50 ms. */
async function start({ patienceMs = 600, maxBytes = 1_000 * MiB }) {
  const responses = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const [, account = '', bytes = '0'] = request.url?.split('/') ?? [];
    Object.assign(response, { locals: { account } });
    responses.add(response);
    response.once('close', () => responses.delete(response));
    response.setHeader('content-length', bytes);
    endResponse(response, 'x'.repeat(Number(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const unread = new UnreadResponses(responses, systemRuntime, { patienceMs, maxBytes });
  const sweeping = setInterval(() => unread.sweep(), 50);
  ends.push(() => {
    clearInterval(sweeping);
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, responses };
}

async function ask(origin: string, path: string): Promise<Socket> {
  const socket = await openSocket(origin);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('clients that do not read their responses', () => {
  test('are disconnected, and their responses leave memory', async () => {
    const { origin, responses } = await start({});
    for (let i = 0; i < 3; i++) await ask(origin, `/a/${16 * MiB}`);
    await expect.poll(() => responses.size).toBe(3);
    await expect.poll(() => responses.size, { timeout: 10_000 }).toBe(0);
  });

  test('are disconnected although they go on sending', async () => {
    const { origin, responses } = await start({});
    const socket = await ask(origin, `/a/${16 * MiB}`);
    socket.write('GET /b/1 HTTP/1.1\r\nx-a: ');
    const dripping = setInterval(() => socket.write('a'), 50);
    ends.push(() => clearInterval(dripping));
    await expect.poll(() => responses.size).toBe(1);
    await sleep(400);
    expect(responses.size).toBe(1);
    await expect.poll(() => responses.size, { timeout: 10_000 }).toBe(0);
  });

  test('are told from clients that read slowly but steadily', async () => {
    const { origin } = await start({});
    const socket = await ask(origin, `/a/${16 * MiB}`);
    let received = 0;
    const startedAt = performance.now();
    while (received < 16 * MiB) {
      const chunk: Buffer | null = socket.read(Math.min(MiB / 2, 16 * MiB - received)) ?? socket.read();
      received += chunk?.length ?? 0;
      expect(socket.destroyed).toBe(false);
      await sleep(60);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_500);
  });

  test('lose responses before their time if all together are too large: the account with the most, the oldest first', async () => {
    const { origin, responses } = await start({ patienceMs: 60_000, maxBytes: 40 * MiB });
    await ask(origin, `/modest/${16 * MiB}`);
    const greedy: Socket[] = [];
    for (let i = 0; i < 5; i++) {
      greedy.push(await ask(origin, `/greedy/${16 * MiB}`));
      await sleep(150);
    }
    const owners = () =>
      [...responses].map((response) => (response as never as { locals: { account: string } }).locals.account);
    await expect.poll(() => owners().filter((owner) => owner === 'greedy').length, { timeout: 5_000 }).toBeLessThan(3);
    expect(owners()).toContain('modest');
    expect(greedy.length).toBe(5);
  });
});

test.each([
  ['', ''],
  [' and sends an expectation that Node does not know', 'Expect: x\r\n'],
])(
  'the service disconnects a client that has long read nothing%s',
  async (_name, header) => {
    let ahead = 0;
    const runtime = { ...systemRuntime, now: () => Date.now() + ahead };
    const service = await startService({ LOG_LEVEL: 'info' }, { runtime });
    ends.push(() => service.stop());
    const socket = await openSocket(service.origin);
    let closed = false;
    socket.once('close', () => {
      closed = true;
    });
    socket.pause();
    socket.write(`GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`.repeat(100));
    await sleep(3_000);
    ahead = 29_000;
    await sleep(1_500);
    expect(service.log.some((line) => line.includes('did not read'))).toBe(false);
    ahead = 600_000;
    await expect.poll(() => service.log.some((line) => line.includes('did not read')), { timeout: 10_000 }).toBe(true);
    socket.resume();
    await expect.poll(() => closed, { timeout: 5_000 }).toBe(true);
  },
  40_000,
);
