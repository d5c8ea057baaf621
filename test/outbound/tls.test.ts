import { createServer, type ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';
import { guardedAgent } from '../../src/outbound/connector.ts';
import { ServerMisbehavedError } from '../../src/outbound/errors.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { selfSigned } from '../proxy/self-signed.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';

const ec = selfSigned();
const body = Buffer.alloc(5 * 1024 * 1024, 'x');

/** Requests the body from a server with these options. */
async function get(options: ServerOptions, onSecure: (socket: TLSSocket) => void = () => {}) {
  const server = createServer(options, (_request, response) => response.end(body));
  server.on('secureConnection', onSecure);
  const origin = `https://127.0.0.1:${await listen(server)}`;
  const guard = new OutboundGuard({ allow: ['127.0.0.0/8'], runtime: systemRuntime });
  const limiter = new ConnectionLimiter({ perHost: 10, total: 10 });
  const ca = String(options.cert).slice(0, String(options.cert).indexOf('-----END') + 26);
  const agent = guardedAgent({ guard, timeoutMs: 10_000, limiter, keepAlive: false, ca });
  atEnd(() => agent.destroy());
  const response = await agent.request({ origin, path: '/', method: 'GET' });
  return Buffer.from(await response.body.arrayBuffer());
}

describe('TLS to a server that a caller chose', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('reads a whole body over %s', async (version) => {
    expect((await get({ ...ec, minVersion: version, maxVersion: version })).equals(body)).toBe(true);
  });

  test('does not use a Diffie-Hellman prime of the server', async () => {
    const options = { ...selfSigned('rsa'), dhparam: 'auto', maxVersion: 'TLSv1.2' } as const;
    await expect(get({ ...options, ciphers: 'DHE-RSA-AES128-GCM-SHA256' })).rejects.toThrow();
    expect((await get({ ...options, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).equals(body)).toBe(true);
  });

  test('does not use a finite-field group of TLS 1.3', async () => {
    await expect(get({ ...ec, ecdhCurve: 'ffdhe8192' })).rejects.toThrow();
  });

  test('ends a handshake of more than 9 KiB', async () => {
    await expect(get({ ...ec, cert: ec.cert.repeat(60) })).rejects.toThrow(ServerMisbehavedError);
    expect((await get({ ...ec, cert: ec.cert.repeat(15) })).equals(body)).toBe(true);
  });

  test('does not renegotiate', async () => {
    let renegotiated = false;
    const asked = new Promise<Error | null>((resolve) => {
      const renegotiate = (socket: TLSSocket) => {
        socket.on('error', resolve);
        socket.renegotiate({}, resolve);
        socket.once('secure', () => {
          renegotiated = true;
        });
      };
      get({ ...ec, maxVersion: 'TLSv1.2' }, renegotiate).catch(() => {});
    });
    expect(await asked).toBeInstanceOf(Error);
    expect(renegotiated).toBe(false);
  });
});
