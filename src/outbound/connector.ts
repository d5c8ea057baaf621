import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { parseAddress } from './address.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { AddressRefusedError } from './errors.ts';
import type { OutboundGuard, PinnedAddress } from './guard.ts';
import { type Connector, limitedPool } from './limited-client.ts';
import { limitExchanges, originHost } from './limited-exchange.ts';
import { type OnSocket, openSocket, type SocketOptions } from './open-socket.ts';
import { tlsConnector } from './tls.ts';

export interface ConnectorOptions extends Pick<SocketOptions, 'counter'> {
  guard: OutboundGuard;
  /** The time limit for opening a connection, and for the TLS handshake, in milliseconds. */
  timeoutMs: number;
  /** Trusted certificates in PEM format, instead of those of the system. */
  ca?: string;
}

/**
 * Creates a connector for undici that resolves each host name once, checks the addresses, and uses the first of them
 * that accepts a TCP connection. SNI, certificate verification and the `Host` header use the name. The connector runs
 * for every new connection, including those of redirects and IP literals, for which undici does not call
 * `connect.lookup`.
 */
export function guardedConnector({ guard, timeoutMs, ca, counter }: ConnectorOptions): Connector {
  const startTls = tlsConnector(timeoutMs, ca);
  const ofSocket = { runtime: guard.runtime, timeoutMs, ...(counter && { counter }) };
  return (options, callback) => {
    const { hostname, account, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    const connected: OnSocket = (...[error, socket, address]) => {
      if (error) return callback(error, null);
      if (!isSameAddress(socket.remoteAddress, address)) {
        socket.destroy();
        return callback(new AddressRefusedError('must not resolve to an address that was not checked'), null);
      }
      if (protocol !== 'https:') return callback(null, socket);
      const { servername: _, ...rest } = options;
      // An IP address must not be sent as the server name (RFC 6066, section 3).
      const target = isIP(hostname) ? rest : { ...rest, servername: options.servername || hostname };
      startTls({ ...target, hostname: address, httpSocket: socket }, callback);
    };
    const connect = (pinned: readonly PinnedAddress[]) => {
      const addresses = pinned.map(({ address }) => address);
      openSocket(addresses, port, ofSocket, connected);
    };
    guard
      .resolve(hostname, account)
      .then(connect)
      .catch((error) => callback(error, null));
  };
}

function isSameAddress(actual: string | undefined, wanted: string): boolean {
  return actual !== undefined && parseAddress(actual)?.toString() === parseAddress(wanted)?.toString();
}

export interface AgentOptions extends Omit<ConnectorOptions, 'counter'> {
  limiter: ConnectionLimiter;
  /** True if connections may be reused for later requests. */
  keepAlive: boolean;
  /** The limit of bytes received for one request, including headers. */
  maxReceivedBytes?: number;
}

/**
 * Creates a dispatcher for hosts that callers choose. It does not follow redirects. To follow one, send a new request,
 * whose host is checked again. Requests fail with `AddressRefusedError` for a refused host, and with
 * `NameNotFoundError` for a name without addresses. Pools of unused origins are removed.
 */
export function guardedAgent({ limiter, keepAlive, maxReceivedBytes, ...options }: AgentOptions): Dispatcher {
  const ofClient = {
    connect: guardedConnector({ ...options, counter: limiter }),
    pipelining: keepAlive ? 1 : 0,
    connections: limiter.limits.perHost,
    ...(maxReceivedBytes !== undefined && { maxReceivedBytes }),
  };
  const agent = new Agent({ factory: (origin) => limitedPool(origin, ofClient) });
  return agent.compose(limitExchanges(limiter, originHost));
}

/**
 * Waits for a response, but rejects as soon as `signal` is aborted. undici alone would react only after the request has
 * a connection.
 */
export function rejectOnAbort<T extends Dispatcher.ResponseData>(asking: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => {
      reject(signal.reason);
      asking.then(
        ({ body }) => body.on('error', () => {}).destroy(),
        () => {},
      );
    };
    if (signal.aborted) return ended();
    signal.addEventListener('abort', ended, { once: true });
    asking.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended));
  });
}
