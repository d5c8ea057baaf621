import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';
import { openSocket } from '../../src/outbound/open-socket.ts';
import { maxAttempts } from '../../src/outbound/race.ts';
import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';

/** The address of a server with a full accept queue. The system ignores further connections, like a host that is off. */
const dead = '127.0.0.2';
/** Addresses that refuse connections, because no server listens there. */
const closed = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];
const alive = '127.0.0.1';

/** A clock that only the test moves. */
const timers = new Set<{ at: number; task: () => void }>();
let now = 0;
const runtime: Runtime = {
  ...systemRuntime,
  after(delayMs, task) {
    const timer = { at: now + delayMs, task };
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  },
};
function advance(ms: number): void {
  now += ms;
  for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.task();
}

const blocked = new Worker(
  `const server = require('node:net').createServer();
  server.listen({ port: 0, host: '${dead}', backlog: 1 }, () => {
    require('node:worker_threads').parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`,
  { eval: true },
);
const [port] = (await once(blocked, 'message')) as [number];
const server: Server = createServer((socket) => socket.on('error', () => {})).listen(port, alive);
await once(server, 'listening');
const fillers: Socket[] = [];
for (let count = 0; count < 2; count++) fillers.push(await open([dead]).result);
afterAll(async () => {
  for (const filler of fillers) filler.destroy();
  server.close();
  await blocked.terminate();
});

beforeEach(() => {
  timers.clear();
});

function open(addresses: readonly string[], total = 10) {
  const counter = new ConnectionLimiter({ perHost: 10, total });
  const result = new Promise<Socket>((resolve, reject) => {
    openSocket(addresses, port, { runtime, timeoutMs: 2_000, counter }, (...[error, socket]) => {
      if (error) reject(error);
      else resolve(socket);
    });
  });
  return { counter, result };
}

/** Expects a connection to `alive`. Expects that all other attempts are closed. */
async function expectAlive({ counter, result }: ReturnType<typeof open>): Promise<void> {
  const socket = await result;
  onTestFinished(() => void socket.destroy());
  expect(socket.remoteAddress).toBe(alive);
  await expect.poll(() => counter.open).toBe(1);
  socket.destroy();
  await expect.poll(() => counter.open).toBe(0);
  expect(timers.size).toBe(0);
}

describe('openSocket', () => {
  test('tries the next address at once after a refused attempt', async () => {
    await expectAlive(open([...closed.slice(0, 3), alive]));
  });

  test('tries the next address after 250 ms without an answer, and uses the first connection that opens', async () => {
    const opening = open([dead, alive]);
    advance(249);
    expect(opening.counter.open).toBe(1);
    advance(1);
    expect(opening.counter.open).toBe(2);
    await expectAlive(opening);
  });

  test('tries at most four addresses, and fails with the error of the last attempt', async () => {
    expect(maxAttempts).toBe(4);
    const { counter, result } = open([...closed, alive]);
    await expect(result).rejects.toMatchObject({ code: 'ECONNREFUSED', address: closed[3] });
    await expect.poll(() => counter.open).toBe(0);
    const waiting = open([dead, dead, dead, dead, alive]);
    for (let count = 0; count < 6; count++) advance(250);
    expect(waiting.counter.open).toBe(4);
    advance(500);
    await expect(waiting.result).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    await expect.poll(() => waiting.counter.open).toBe(0);
  });

  test('makes one attempt at a time while the connection limit is reached', async () => {
    const opening = open([dead, alive], 1);
    advance(1_000);
    expect(opening.counter.open).toBe(1);
    advance(1_000);
    await expect(opening.result).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    await expectAlive(open([closed[0] ?? '', alive], 1));
  });
});
