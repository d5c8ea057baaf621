import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endResponse } from '../../../src/api/http/end-response.ts';
import { UnreadResponses } from '../../../src/api/server/unread-responses.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { originOf } from '../../support/listen.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { openSocket } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';

const MiB = 1024 * 1024;

/** Starts a server that responds to `/<account>/<bytes>` with that many bytes. `pass` advances the clock and checks for slow clients. */
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
  let now = 0;
  const unread = new UnreadResponses(responses, { ...systemRuntime, now: () => now }, { patienceMs, maxBytes });
  return {
    origin: await originOf(server),
    responses,
    pass(ms: number) {
      now += ms;
      unread.sweep();
    },
    /** Waits until the operating system takes no more bytes of the responses, which are `count` ones if it is given. */
    async full(count?: number) {
      let before = '';
      const isSteady = () => {
        const written = [...responses].map(({ socket }) => socket && socket.bytesWritten - socket.writableLength);
        const same = written.length === (count ?? written.length) && written.join() === before;
        before = written.join();
        return same;
      };
      await expect.poll(isSteady, { interval: 100 }).toBe(true);
    },
  };
}

async function ask(origin: string, path: string): Promise<Socket> {
  const socket = await openSocket(origin);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

describe('clients that do not read their responses', () => {
  test('are disconnected, and their responses leave memory', async () => {
    const { origin, responses, full, pass } = await start({});
    for (let i = 0; i < 3; i++) await ask(origin, `/a/${16 * MiB}`);
    await full(3);
    pass(0);
    pass(599);
    expect(responses.size).toBe(3);
    pass(1);
    await expect.poll(() => responses.size).toBe(0);
  });

  test('are disconnected although they go on sending', async () => {
    const { origin, responses, full, pass } = await start({});
    const socket = await ask(origin, `/a/${16 * MiB}`);
    socket.write('GET /b/1 HTTP/1.1\r\nx-a: ');
    const dripping = setInterval(() => socket.write('a'), 50);
    onTestFinished(() => clearInterval(dripping));
    await full(1);
    pass(0);
    pass(400);
    expect(responses.size).toBe(1);
    pass(200);
    await expect.poll(() => responses.size).toBe(0);
  });

  test('are distinguished from clients that read slowly but steadily', async () => {
    const { origin, full, pass } = await start({});
    const socket = await ask(origin, `/a/${16 * MiB}`);
    let received = 0;
    let steps = 0;
    while (received < 16 * MiB) {
      for (let missing = 4 * MiB; missing > 0 && received < 16 * MiB; ) {
        const chunk: Buffer | null = socket.read();
        received += chunk?.length ?? 0;
        missing -= chunk?.length ?? 0;
        expect(socket.destroyed).toBe(false);
        if (chunk === null) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await full();
      pass(500);
      steps += 1;
    }
    expect(steps * 500).toBeGreaterThan(1_500);
  });

  test('lose responses before their time if all together are too large: the account with the most, the oldest first', async () => {
    const { origin, responses, full, pass } = await start({ maxBytes: 40 * MiB });
    await ask(origin, `/modest/${16 * MiB}`);
    const greedy: Socket[] = [];
    for (let i = 0; i < 5; i++) {
      greedy.push(await ask(origin, `/greedy/${16 * MiB}`));
      await expect.poll(() => responses.size).toBe(i + 2);
    }
    await full(6);
    pass(0);
    const owners = () =>
      [...responses].map((response) => (response as never as { locals: { account: string } }).locals.account);
    await expect.poll(() => owners().filter((owner) => owner === 'greedy').length).toBeLessThan(3);
    expect(owners()).toContain('modest');
    expect(greedy.length).toBe(5);
  });
});

test.each([
  ['', ''],
  [' and sends an expectation that Node does not know', 'Expect: x\r\n'],
])('the service disconnects a client that has long read nothing%s', async (_name, header) => {
  let now = Date.now();
  const runtime = { ...patientRuntime, now: () => now };
  const service = await startService({ LOG_LEVEL: 'info' }, { runtime });
  onTestFinished(() => service.stop());
  const socket = await openSocket(service.origin);
  let closed = false;
  socket.once('close', () => {
    closed = true;
  });
  socket.pause();
  socket.write(`GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`.repeat(20));
  // The service checks its clients once a second.
  await sleep(2_000);
  now += 29_000;
  await sleep(1_500);
  expect(service.log.some((line) => line.includes('did not read'))).toBe(false);
  const disconnected = () => {
    now += 600_000;
    return service.log.some((line) => line.includes('did not read'));
  };
  await expect.poll(disconnected, { interval: 500 }).toBe(true);
  socket.resume();
  await expect.poll(() => closed).toBe(true);
});
