import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { type ConnectorOptions, guardedConnector } from './connector.ts';
import { LimitedClient } from './limited-client.ts';
import type { ForwardProxy } from './proxy.ts';
import { brokenFault, connectFault, lateFault, refusalFault } from './proxy-faults.ts';

/** `timeoutMs` is for a tunnel to stand: connection, TLS and the proxy's answer together. */
export interface TunnelOptions extends ConnectorOptions {
  runtime: Runtime;
  /** Counts the sockets to proxies. */
  counter?: Pick<ConnectionLimiter, 'count'>;
}

/**
 * Opens tunnels through proxies (CONNECT, RFC 9110 section 9.3.6), to plain HTTP targets too, so that a proxy is given
 * no request in the clear that it does not have to forward. The proxy's own address passes the guard.
 *
 * Undici's `ProxyAgent` does much the same, but has no time limit for the proxy's answer, tells a refusal only by the
 * text of a message, sends no credentials without a password, and connects again without limit to a proxy that hangs up.
 */
export class TunnelDialer {
  readonly #options: TunnelOptions;
  readonly #connect: buildConnector.connector;
  readonly #dialing = new Set<LimitedClient>();
  #closed = false;

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#connect = guardedConnector(options);
  }

  /**
   * A socket to `authority` (`host:port`) through the proxy. Throws a `PosternError` that names the proxy, and the target
   * as its caller knows it.
   */
  async dial(proxy: ForwardProxy, authority: string, target: string): Promise<Duplex> {
    let connected = false;
    const { counter } = this.#options;
    const client = new LimitedClient(proxy.origin, {
      ...(counter && { counter }),
      headersTimeout: 0,
      connect: (options, callback) =>
        this.#connect(options, (...[error, socket]) => {
          // Undici tries again after some of these by their code, so it gets to see only ours.
          if (error) return callback(connectFault(proxy, error), null);
          connected = true;
          callback(null, socket);
        }),
    });
    // An abort signal would be heard only once the connection stands.
    const late = () => void client.destroy(lateFault(proxy, target, connected));
    const timer = this.#options.runtime.after(this.#options.timeoutMs, late);
    this.#dialing.add(client);
    if (this.#closed) void client.destroy();
    try {
      const { statusCode, socket } = await client.connect({ path: authority, headers: headersOf(proxy, authority) });
      if (statusCode >= 200 && statusCode < 300) return socket;
      socket.on('error', () => {}).destroy();
      throw refusalFault(proxy, target, statusCode);
    } catch (error) {
      throw error instanceof PosternError ? error : brokenFault(proxy, target, error);
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
