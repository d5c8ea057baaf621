import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseInTurns, serializePipelined } from '../../../src/api/server/pipelining.ts';
import { originOf } from '../../support/listen.ts';
import { exchange, openSocket } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

const long = 600_000;
const { service, sandbox: control, ada } = await useService({ PLATFORM_TIMEOUT_MS: String(long) });
const credentials = `Authorization: Bearer ${ada.options.key}\r\nx-auth-token: ${ada.options.authToken}\r\n`;

const read = () => `GET /v1/user/info?userName=grace HTTP/1.1\r\nHost: a\r\n${credentials}\r\n`;
function write(text: string, { padding = 0, headers = '' } = {}) {
  const body = JSON.stringify({ text }) + ' '.repeat(padding);
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /v1/tweet/create HTTP/1.1\r\nHost: a\r\n${credentials}${type}${headers}\r\n${body}`;
}

const delay = (operation: string, ms: number) => service.addFault({ kind: 'latency', ms }, { operation, times: 1 });
const send = (bytes: string, answers: number) => exchange(service.origin, bytes, { answers, quietMs: long });

describe('requests that are sent together on one connection', () => {
  test('are performed one after the other', async () => {
    await delay('createPosts', 300);
    const texts = ['first', 'second', 'third'];
    const { answers } = await send(texts.map((text) => write(text)).join(''), 3);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await control.tweets()).filter((text) => texts.includes(text))).toEqual(texts);
  });

  test('are performed with their whole bodies, even if these are too large to wait in memory', async () => {
    await delay('getUsersByUsername', 300);
    const padding = 500_000;
    const { answers } = await send(read() + write('large', { padding }) + write('larger', { padding }), 3);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await control.tweets()).filter((text) => text.startsWith('large'))).toEqual(['large', 'larger']);
  });

  test('are asked to continue when it is their turn', async () => {
    await delay('getUsersByUsername', 300);
    const { text, answers } = await send(read() + write('continued', { headers: 'Expect: 100-continue\r\n' }), 2);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  test('are not performed after the service has begun to stop', async () => {
    const stopping = await startService({ PLATFORM_URL: service.demo.sandboxUrl, PLATFORM_KIND: 'sandbox' });
    const before = await control.requests('getUsersByUsername');
    await delay('getUsersByUsername', 500);
    const { key } = await stopping.makeAccount('1');
    const bytes = (read() + write('too late')).replaceAll(/Bearer \S+/g, `Bearer ${key}`);
    const exchanged = exchange(stopping.origin, bytes, { answers: 2, quietMs: long });
    await expect.poll(() => control.requests('getUsersByUsername')).toBe(before + 1);
    await stopping.stop();
    const { answers, closed } = await exchanged;
    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([[200, 'close']]);
    expect(closed).toBe(true);
    expect(await control.tweets()).not.toContain('too late');
  });

  test('are not performed if the connection closes before their turn', async () => {
    await delay('getUsersByUsername', long);
    const before = await control.requests('getUsersByUsername');
    const socket = await openSocket(service.origin);
    socket.write(read() + write('never'));
    await expect.poll(() => control.requests('getUsersByUsername')).toBe(before + 1);
    socket.destroy();
    const inFlight = async () => {
      const text = await (await fetch(`${service.origin}/metrics`)).text();
      return Number(/^postern_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
    };
    await expect.poll(inFlight).toBe(1);
    expect((await send(write('later'), 1)).answers[0]?.status).toBe(200);
    expect((await control.tweets()).filter((text) => ['never', 'later'].includes(text))).toEqual(['later']);
  });

  test('are not performed after a response whose client has closed the connection without reading it', async () => {
    const paths: (string | undefined)[] = [];
    let isClosed = false;
    const server = createServer(
      serializePipelined(({ url }, response) => {
        paths.push(url);
        response.once('close', () => {
          isClosed = true;
        });
        response.end(Buffer.alloc(64 * 1024 * 1024));
      }),
    );
    const socket = await openSocket(await originOf(server));
    socket.pause();
    socket.write('GET /unread HTTP/1.1\r\nHost: a\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => paths.length).toBe(1);
    socket.destroy();
    await expect.poll(() => isClosed).toBe(true);
    await sleep(100);
    expect(paths).toEqual(['/unread']);
  });

  test('are answered if 20 of them wait', async () => {
    const { answers, closed } = await send(read().repeat(21), 21);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 21 }, () => 200));
    expect(closed).toBe(false);
  });

  test.each([
    ['more than 20 of them wait', () => read().repeat(22)],
    ['bytes that are not HTTP follow them', () => `${read()}nonsense\r\n\r\n`],
  ])('close the connection without a response if %s', async (_name, bytes) => {
    await delay('getUsersByUsername', long);
    const { text, closed } = await send(bytes(), 1);
    expect(text).toBe('');
    expect(closed).toBe(true);
  });
});

describe('bytes that arrive together', () => {
  const head = 'GET / HTTP/1.1\r\n\r\n';

  async function serve(listener: RequestListener) {
    const server = createServer({ requireHostHeader: false }, listener);
    parseInTurns(server);
    const origin = await originOf(server);
    return Promise.all(Array.from({ length: 20 }, () => openSocket(origin)));
  }

  test('are parsed in several turns of the event loop', async () => {
    const turnOf: number[] = [];
    let turn = 0;
    const sockets = await serve((_request, response) => {
      for (const until = performance.now() + 4; performance.now() < until; );
      turnOf.push(turn);
      response.end();
    });
    for (const socket of sockets) socket.write(head);
    while (turnOf.length < sockets.length) {
      await nextTurn();
      turn += 1;
    }
    for (const each of turnOf) expect(turnOf.filter((one) => one === each).length).toBeLessThanOrEqual(4);
  });

  test('are parsed until the first error, which is reported once', async () => {
    const server = createServer();
    parseInTurns(server);
    let errors = 0;
    server.on('clientError', (_error, socket) => {
      errors += 1;
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const { answers } = await exchange(await originOf(server), `nonsense\r\n${'a'.repeat(50_000)}`);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(errors).toBe(1);
  });

  test('are parsed later if their connection has responses that are not read', async () => {
    const [socket] = await serve(serializePipelined((_request, response) => response.end(Buffer.alloc(1_000_000))));
    if (!socket) throw new Error('no connection');
    socket.pause();
    socket.write(head.replace('\r\n\r\n', `\r\nA: ${'a'.repeat(6_000)}\r\n\r\n`).repeat(10));
    await sleep(100);
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    await expect.poll(() => received).toBeGreaterThan(10_000_000);
  });

  test('are not parsed after their connection is closed because too many requests wait', async () => {
    let parsed = 0;
    const serialized = serializePipelined(() => {});
    const sockets = await serve((request, response) => {
      parsed += 1;
      serialized(request, response);
    });
    for (const socket of sockets) socket.write(head.repeat(3_600));
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    expect(parsed).toBeGreaterThanOrEqual(22 * sockets.length);
    expect(parsed).toBeLessThan(600 * sockets.length);
  });
});
