import type { Duplex } from 'node:stream';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { type ConnectorOptions, guardedConnector } from './connector.ts';
import { type Connector, LimitedClient } from './limited-client.ts';
import type { ForwardProxy } from './proxy.ts';
import { brokenTunnelError, connectError, refusalError, timeoutError } from './proxy-errors.ts';

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
   * Returns a socket to `authority` (`host:port`) through the proxy. Throws a `PosternError` with the name of the proxy
   * and with `target`, the caller's name of the destination. `account` is the API account of the request.
   */
  async dial(proxy: ForwardProxy, authority: string, target: string, account: string): Promise<Duplex> {
    let connected = false;
    const client = new LimitedClient(proxy.origin, {
      headersTimeout: 0,
      connect: (options, callback) =>
        this.#connect(options, (...[error, socket]) => {
          // undici retries after errors with certain codes, so the error is replaced by one without them.
          if (error) return callback(connectError(proxy, error), null);
          connected = true;
          callback(null, socket);
        }),
    });
    // A timer is used because undici reacts to an abort signal only after the connection is open.
    const late = () => void client.destroy(timeoutError(proxy, target, connected));
    const timer = this.#options.runtime.after(this.#options.timeoutMs, late);
    this.#dialing.add(client);
    if (this.#closed) void client.destroy();
    try {
      const request = { path: authority, headers: headersOf(proxy, authority), account };
      const { statusCode, socket } = await client.connect(request);
      if (statusCode >= 200 && statusCode < 300) return socket;
      socket.on('error', () => {}).destroy();
      throw refusalError(proxy, target, statusCode);
    } catch (error) {
      throw error instanceof PosternError ? error : brokenTunnelError(proxy, target, error);
    } finally {
      timer.cancel();
      this.#dialing.delete(client);
      void client.destroy();
    }
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#dialing) void client.destroy();
  }
}

function headersOf({ authorization }: ForwardProxy, authority: string): Record<string, string> {
  return { host: authority, ...(authorization && { 'proxy-authorization': authorization.expose() }) };
}
