import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { StoppableRuntime } from '../support/stoppable-runtime.ts';
import { until } from '../support/until.ts';
import { useService } from '../support/use-service.ts';
import { flood, listen, startFakeProxy } from './forward-proxy.ts';

/** Checks that a call through a misbehaving proxy opens at most two connections. */

const stands = 'HTTP/1.1 200 Connection established\r\n\r\n';
const password = 'hunter2';
const runtime = new StoppableRuntime();
const { service, ada } = await useService({ OUTBOUND_ALLOW: '127.0.0.0/8', PLATFORM_TIMEOUT_MS: '4000' }, { runtime });

const urlOf = (name: string) => `http://user:${password}@${name}`;
const read = (name: string) => ada.get('/user/info', { userName: 'ada', proxy: urlOf(name) });
const write = (name: string) =>
  ada.post('/tweet/create', { text: `Through ${name}` }, { 'x-proxy': urlOf(name), 'Idempotency-Key': name });

const endsRequest =
  (answer: (socket: Socket) => void): Parameters<typeof startFakeProxy>[0] =>
  (socket) => {
    socket.write(stands);
    socket.once('data', () => answer(socket));
  };

describe('a call through a proxy causes two connections at most', () => {
  test.each<[string, Parameters<typeof startFakeProxy>[0]]>([
    ['sends a byte with its 200', (socket) => void socket.write(`${stands}x`)],
    ['sends a byte right after its 200', (socket) => void socket.write(stands, () => void socket.write('x'))],
    ['closes with its 200', (socket) => void socket.end(stands)],
    ['resets right after its 200', (socket) => void socket.write(stands, () => socket.resetAndDestroy())],
    ['closes after the request', endsRequest((socket) => socket.end())],
    ['resets after the request', endsRequest((socket) => socket.resetAndDestroy())],
    ['answers the request with something that is no HTTP', endsRequest((socket) => void socket.write('nonsense\r\n'))],
    [
      'answers with an upgrade',
      endsRequest((socket) => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n')),
    ],
    ['answers with 100', endsRequest((socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'))],
    [
      'answers with a length that is no number',
      endsRequest((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n')),
    ],
    ['answers CONNECT with 103', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'answers the request with endless 103',
      endsRequest((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')),
    ],
    [
      'answers the request with endless 102',
      endsRequest((socket) => flood(socket, 'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n')),
    ],
    [
      'answers the request with endless headers',
      endsRequest((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, 'x: y\r\n');
      }),
    ],
    [
      'answers the request with endless trailers',
      endsRequest((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n');
        flood(socket, 'x: y\r\n');
      }),
    ],
    [
      'answers the request in chunks of one byte',
      endsRequest((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        flood(socket, '1\r\nx\r\n');
      }),
    ],
    [
      'answers the request with endless chunk extensions',
      endsRequest((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
        flood(socket, 'x');
      }),
    ],
  ])('that %s', async (_, behave) => {
    const { name, accepted } = await startFakeProxy(behave);
    const { balance } = (await ada.get('/account/balance')).body.data;
    for (const [at, call] of [read, write].entries()) {
      const answer = await call(name);
      expectRefusal(answer, 502);
      expect(answer.body.error).toContain(name);
      expect(answer.body.error).not.toContain(password);
      expect(accepted()).toBeLessThanOrEqual(2 * (at + 1));
    }
    expect((await ada.get('/account/balance')).body.data.balance).toBe(balance);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['sends a byte', (socket) => void socket.write('x')],
    ['closes', (socket) => void socket.end()],
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['sends endless 103', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('that %s before it was asked', async (_, behave) => {
    // The server misbehaves as soon as a connection opens, before CONNECT.
    const { name, accepted } = await listen(behave);
    for (const call of [read, write]) expectRefusal(await call(name), 502);
    expect(accepted()).toBeLessThanOrEqual(4);
  });

  test('that breaks the TLS handshake with the target', async () => {
    const { name, accepted } = await startFakeProxy((socket) => {
      socket.write(stands);
      socket.once('data', () => socket.write('x'.repeat(100)));
    });
    const body = { media_url: 'https://127.0.0.1:4433/x.png' };
    expectRefusal(await ada.post('/media/upload', body, { 'x-proxy': urlOf(name) }), 400);
    expect(accepted()).toBe(1);
  });

  test('however many there are at a time', async () => {
    const { name, accepted } = await startFakeProxy((socket) => void socket.write(`${stands}x`));
    const answers = await Promise.all(Array.from({ length: 50 }, () => read(name)));
    for (const answer of answers)
      expectRefusal(answer, 502, new RegExp(`through the proxy ${name}( broke|; it is tried again every second)$`));
    expect(accepted()).toBeLessThanOrEqual(100);
  });

  test('that opens a tunnel late: each call waits for its own deadline, and connects once', async () => {
    const { name, accepted } = await startFakeProxy(
      (socket) => void setTimeout(() => socket.write(stands), 600_000).unref(),
    );
    const answers = await Promise.all([read(name), read(name), write(name)]);
    for (const answer of answers)
      expectRefusal(answer, 504, `The proxy ${name} did not open a tunnel to the platform in time`);
    expect(accepted()).toBe(3);
  });
});

test('endless informational responses are named, and few of them are read', async () => {
  const { name, open } = await startFakeProxy(
    endsRequest((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')),
  );
  const usage = process.cpuUsage();
  const answer = await read(name);
  expectRefusal(answer, 502);
  expect(answer.body.error).toBe(
    `The platform, or the proxy ${name} in its name, sends informational responses without an end`,
  );
  expect(process.cpuUsage(usage).user / 1_000).toBeLessThan(1_000);
  await expect.poll(open).toBe(0);
});

test('a proxy that fails ten times in a row is tried once a second', async () => {
  const { name, accepted } = await startFakeProxy((socket) => void socket.write(`${stands}x`));
  await runtime.stopDuring(async () => {
    const refusal = `Ten calls in a row failed through the proxy ${name}; it is tried again every second`;
    // A call makes one attempt or two, depending on the order in which its connection opens and breaks.
    await until(async () => expectRefusal(await read(name), 502, refusal));
    expect(accepted()).toBe(10);
    expectRefusal(await write(name), 502, refusal);
    expect(accepted()).toBe(10);
  });
  await sleep(1_050);
  expectRefusal(await read(name), 502);
  expect(accepted()).toBe(11);
});

test('the metrics show the open connections by kind', async () => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  for (const kind of ['receiver', 'media', 'proxy', 'account_server', 'platform']) {
    expect(text).toMatch(new RegExp(`^postern_outbound_connections\\{kind="${kind}"\\} \\d+$`, 'm'));
  }
});

test('the poller of a webhook backs off from such a proxy', async () => {
  let misbehaves = false;
  const { name, accepted, breakAll } = await startFakeProxy((socket, request) => {
    if (misbehaves) return void socket.write(`${stands}x`);
    const target = connect(Number(/^CONNECT [\d.]+:(\d+)/.exec(request)?.[1]), '127.0.0.1', () => socket.write(stands));
    target.on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
    socket.pipe(target).pipe(socket);
  });
  const secret = 'a-secret-of-at-least-16';
  const receiver = await startReceiver({ secret });
  const made = await ada.post('/webhooks', { url: receiver.url, secret }, { 'x-proxy': urlOf(name) });
  expect(made.body.data).toMatchObject({ valid: true });
  await until(() => expect(accepted()).toBeGreaterThan(0));
  misbehaves = true;
  breakAll();
  const before = accepted();
  await sleep(6_000);
  // A poll was due, and others follow after at least 0.5 s, 1 s, 2 s and 4 s. These are five polls with two connections each.
  expect(accepted() - before).toBeLessThanOrEqual(10);
  await expect.poll(() => accepted() - before).toBeGreaterThanOrEqual(2);
});
