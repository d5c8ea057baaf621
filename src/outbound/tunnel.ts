import type { Duplex } from 'node:stream';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { type ConnectorOptions, guardedConnector } from './connector.ts';
import { type Connector, LimitedClient } from './limited-client.ts';
import type { ForwardProxy } from './proxy.ts';
import { brokenTunnelError, connectError, refusalError, timeoutError } from './proxy-errors.ts';
import { type Attempt, race } from './race.ts';

/** `timeoutMs` limits the time to open a tunnel: connection, TLS and the response of the proxy. */
export interface TunnelOptions extends ConnectorOptions {
  runtime: Runtime;
}

/**
 * Opens tunnels through proxies (CONNECT, RFC 9110, section 9.3.6). Plain HTTP targets use a tunnel too, so that the
 * proxy does not receive the request itself. The guard checks the address of the proxy.
 *
 * undici's `ProxyAgent` is not used, because it has no time limit for the response of the proxy, reports a refusal only
 * in the text of a message, sends no credentials without a password, and reconnects without limit.
 */
export class TunnelDialer {
  readonly #options: TunnelOptions;
  readonly #connect: Connector;
  readonly #dialing = new Set<LimitedClient>();
  #closed = false;

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#connect = guardedConnector(options);
  }

  /**
   * Returns a socket to the first of the authorities (`host:port`) that the proxy can reach. The next one is tried if the
   * proxy responds with a server error, breaks the connection, or has not responded after a delay. Throws a
   * `PosternError` with the name of the proxy and with `target`, the caller's name of the destination. `account` is the
   * API account of the request.
   */
  dial(proxy: ForwardProxy, authorities: readonly string[], target: string, account: string): Promise<Duplex> {
    const { runtime, timeoutMs, counter } = this.#options;
    let connected = false;
    const late = () => timeoutError(proxy, target, connected);
    const begin = (authority: string, attempt: Attempt<Duplex>) => {
      const client = new LimitedClient(proxy.origin, {
        headersTimeout: 0,
        connect: (options, callback) =>
          this.#connect(options, (...[error, socket]) => {
            // undici retries after errors with certain codes, so the error is replaced by one without them.
            if (error) return callback(connectError(proxy, error), null);
            connected = true;
            attempt.startDelay();
            callback(null, socket);
          }),
      });
      this.#dialing.add(client);
      if (this.#closed) void client.destroy();
      const request = { path: authority, headers: headersOf(proxy, authority), account };
      client
        .connect(request)
        .then(
          ({ statusCode, socket }) => {
            const isOpen = statusCode >= 200 && statusCode < 300;
            if (isOpen && attempt.succeed(socket)) return;
            socket.on('error', () => {}).destroy();
            if (!isOpen) attempt.fail(refusalError(proxy, target, statusCode), statusCode < 500);
          },
          (error) => {
            const isConnectError = error instanceof PosternError;
            attempt.fail(isConnectError ? error : brokenTunnelError(proxy, target, error), isConnectError);
          },
        )
        .finally(() => {
          this.#dialing.delete(client);
          void client.destroy();
        });
      return () => void client.destroy();
    };
    const options = { runtime, timeoutMs, late, mayOverlap: () => !counter?.crowded };
    return new Promise((resolve, reject) => {
      race<Duplex>(authorities, options, begin, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
    });
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#dialing) void client.destroy();
  }
}

function headersOf({ authorization }: ForwardProxy, authority: string): Record<string, string> {
  return { host: authority, ...(authorization && { 'proxy-authorization': authorization.expose() }) };
}
