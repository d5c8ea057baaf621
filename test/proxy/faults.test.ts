import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { StoppableRuntime } from '../support/stoppable-runtime.ts';
import { useService } from '../support/use-service.ts';
import { deadPort, startFakeProxy, startForwardProxy } from './forward-proxy.ts';
import { selfSigned } from './self-signed.ts';

const password = 'hunter2';
const runtime = new StoppableRuntime();
const withPassword = (name: string, scheme = 'http') => `${scheme}://user:${password}@${name}`;
const stands = 'HTTP/1.1 200 Connection established\r\n\r\n';
let expectedBalance = 1;
const env = { OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'trace', PLATFORM_TIMEOUT_MS: '1500' };
const { service, sandbox, ada } = await useService(env, { runtime });
afterEach(() => sandbox.clearFaults());
afterAll(async () => expect(Number(await restingBalance(ada))).toBeCloseTo(expectedBalance, 6));

const fakeProxy = async (behave: Parameters<typeof startFakeProxy>[0]) => (await startFakeProxy(behave)).name;
const asked = async () => (await sandbox.requests('getUsersByUsername')) + (await sandbox.requests('createPosts'));
const read = (proxy: string) => ada.get('/user/info', { userName: 'ada', proxy });
const write = (proxy: string) =>
  ada.post('/tweet/create', { text: `Through ${proxy.slice(-5)}` }, { 'x-proxy': proxy });

/** Checks that a read and a write through the proxy are refused, and that none of their bytes reached the sandbox. */
async function expectFault(proxy: string, status: number, error: string): Promise<void> {
  const before = await asked();
  for (const answer of await Promise.all([read(proxy), write(proxy)])) expectRefusal(answer, status, error);
  expect(await asked()).toBe(before);
}

describe('a proxy that opens no tunnel', () => {
  test('does not listen', async () => {
    const name = await deadPort();
    await expectFault(withPassword(name), 502, `The proxy ${name} cannot be reached: it refused the connection`);
  });

  test('accepts and sends nothing: 504 before the deadline of the call', async () => {
    const name = await fakeProxy(() => {});
    await expectFault(withPassword(name), 504, `The proxy ${name} did not open a tunnel to the platform in time`);
  });

  test.each<[string, string]>([
    ['HTTP/1.1 403 Forbidden\r\ncontent-length: 3\r\n\r\nno!', 'refused to open a tunnel to the platform (status 403)'],
    ['HTTP/1.1 502 Bad Gateway\r\n\r\n', 'refused to open a tunnel to the platform (status 502)'],
    [
      'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n',
      'refused to open a tunnel to the platform (status 302)',
    ],
    [
      'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\n\r\n',
      'refused the user name or password (407)',
    ],
    ['nonsense\r\n\r\n', 'broke the connection before the tunnel to the platform stood'],
    ['HTTP/1.1 100 Continue\r\n\r\n', 'broke the connection before the tunnel to the platform stood'],
    ['', 'broke the connection before the tunnel to the platform stood'],
    ['HTTP/1.1 200 OK\r\nx-cut: ', 'broke the connection before the tunnel to the platform stood'],
    [
      `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}`,
      'sends headers, trailers or chunk extensions that are too long',
    ],
  ])('answers %j and closes', async (answer, what) => {
    const name = await fakeProxy((socket) => socket.end(answer));
    await expectFault(withPassword(name), 502, `The proxy ${name} ${what}`);
  });

  test('returns the received bytes including credentials', async () => {
    const name = await fakeProxy((socket, request) => socket.end(request));
    const what = 'broke the connection before the tunnel to the platform stood';
    await expectFault(withPassword(name), 502, `The proxy ${name} ${what}`);
  });

  test('resets the connection', async () => {
    const name = await fakeProxy((socket) => socket.resetAndDestroy());
    const what = 'broke the connection before the tunnel to the platform stood';
    await expectFault(withPassword(name), 502, `The proxy ${name} ${what}`);
  });

  test('requires a password and receives none or a wrong one', async () => {
    const proxy = await startForwardProxy();
    await expectFault(proxy.origin, 502, `The proxy ${proxy.name} asks for a user name and password (407)`);
    const wrong = proxy.url.replace(password, 'hunter3');
    await expectFault(wrong, 502, `The proxy ${proxy.name} refused the user name or password (407)`);
  });

  test('has an untrusted certificate', async () => {
    const { name, url, heard } = await startForwardProxy({ tls: selfSigned() });
    await expectFault(url, 502, `The proxy ${name} cannot be used: its certificate is not trusted`);
    expect(heard()).not.toContain('CONNECT');
  });

  test('does not support TLS for an https:// URL', async () => {
    const name = await fakeProxy((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const silent = await startForwardProxy();
    await expectFault(
      withPassword(silent.name, 'https'),
      502,
      `The proxy ${silent.name} cannot be reached: the TLS handshake failed`,
    );
    expect((await read(withPassword(name, 'https'))).status).toBe(502);
  });

  test('sends nothing in the TLS handshake: 502, because there is no connection', async () => {
    const name = await fakeProxy(() => {});
    await expectFault(withPassword(name, 'https'), 502, `The proxy ${name} cannot be reached: no connection in time`);
  });
});

describe('a tunnel that breaks', () => {
  test('under the request: 502, and a read is tried once more the same way', async () => {
    let tunnels = 0;
    const name = await fakeProxy((socket) => {
      tunnels += 1;
      socket.write(stands);
      socket.once('data', () => socket.destroy());
    });
    const before = await asked();
    const error = `The connection to the platform through the proxy ${name} broke`;
    expectRefusal(await read(withPassword(name)), 502, error);
    expect(tunnels).toBe(2);
    expectRefusal(await write(withPassword(name)), 502, error);
    expect(tunnels).toBe(3);
    expect(await asked()).toBe(before);
  });

  test('under the answer: 502', async () => {
    const name = await fakeProxy((socket) => {
      socket.write(stands);
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"us'));
    });
    const error = `The connection to the platform through the proxy ${name} broke`;
    expectRefusal(await read(withPassword(name)), 502, error);
    expectRefusal(await write(withPassword(name)), 502, error);
  });

  test('into echoes of the request, token and all: 502, and the log does not repeat them', async () => {
    const name = await fakeProxy((socket) => {
      socket.write(stands);
      socket.once('data', (chunk) => socket.end(chunk));
    });
    expectRefusal(
      await write(withPassword(name)),
      502,
      `The connection to the platform through the proxy ${name} broke`,
    );
    expect(service.log.join('\n')).not.toContain(ada.options.authToken);
  });

  test('into an answer of its own that repeats the token: 502, and the log does not', async () => {
    const name = await fakeProxy((socket) => {
      socket.write(stands);
      socket.once('data', (chunk: Buffer) => {
        const token = /Bearer (\w+)/.exec(chunk.toString('latin1'))?.[1];
        const body = JSON.stringify({ title: 'odd', detail: `You sent ${token}` });
        socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const error = `The platform answered something that cannot be understood through the proxy ${name}`;
    expectRefusal(await write(withPassword(name)), 502, error);
    expect(service.log.join('\n')).not.toContain(ada.options.authToken);
  });

  test('into silence: 504 at the deadline of the call', async () => {
    const name = await fakeProxy((socket) => void socket.write(stands));
    const error = `The platform did not answer in time through the proxy ${name}`;
    const answers = await Promise.all([read(withPassword(name)), write(withPassword(name))]);
    for (const answer of answers) expectRefusal(answer, 504, error);
  });

  test('because its proxy is killed while the platform works on it: 502, and from then on cannot be reached', async () => {
    const proxy = await startForwardProxy();
    expect((await read(proxy.url)).status).toBe(200);
    expectedBalance -= 0.001;
    await service.addFault({ kind: 'latency', ms: 2_000 }, { operation: 'createPosts' });
    const before = await sandbox.requests('createPosts');
    const writing = write(proxy.url);
    while ((await sandbox.requests('createPosts')) === before) await sleep(5);
    await proxy.stop();
    expectRefusal(await writing, 502, `The connection to the platform through the proxy ${proxy.name} broke`);
    await expectFault(proxy.url, 502, `The proxy ${proxy.name} cannot be reached: it refused the connection`);
  });

  test('between two calls is opened again, for reads at least', async () => {
    const proxy = await startForwardProxy();
    expect((await read(proxy.url)).status).toBe(200);
    proxy.breakAll();
    expect((await read(proxy.url)).status).toBe(200);
    expectedBalance -= 0.002;
    expect(proxy.tunnels.length).toBe(2);
  });
});

describe('the failing proxy of one caller', () => {
  test('does not affect calls of others', async () => {
    const name = await deadPort();
    const hanging = await fakeProxy(() => {});
    const calls = Array.from({ length: 20 }, (_, i) => read(withPassword(i % 2 ? name : hanging)));
    const direct = async () => {
      expect((await ada.get('/user/info', { userName: 'ada' })).status).toBe(200);
      expectedBalance -= 0.001;
    };
    await direct();
    for (const answer of await Promise.all(calls)) expect([502, 504]).toContain(answer.status);
    await direct();
  });

  test('does not close the circuit breaker of the platform', async () => {
    const proxy = await startForwardProxy();
    await service.addFault({ kind: 'reset' }, { operation: 'getUsersByUsername', times: 20 });
    await runtime.stopDuring(async () => {
      for (let i = 0; i < 6; i++) expectRefusal(await ada.get('/user/info', { userName: 'ada' }), 502);
      const error = 'The platform does not answer; it is tried again every second';
      expectRefusal(await ada.get('/user/info', { userName: 'ada' }), 502, error);
      await sandbox.clearFaults();
      expect((await read(proxy.url)).status).toBe(200);
      expectedBalance -= 0.001;
      expectRefusal(await ada.get('/user/info', { userName: 'ada' }), 502, error);
    });
    await sleep(1_050);
    expect((await ada.get('/user/info', { userName: 'ada' })).status).toBe(200);
    expectedBalance -= 0.001;
  });

  test('shows no password in any log line', async () => {
    const log = service.log.join('\n');
    for (const secret of [password, 'hunter3', Buffer.from(`user:${password}`).toString('base64'), 'Basic ']) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toContain(ada.options.authToken);
    expect(log).toContain('cannot be reached: it refused the connection');
  });
});
