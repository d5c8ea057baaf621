import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { parseAddress } from './address.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { AddressRefusedError } from './faults.ts';
import type { OutboundGuard } from './guard.ts';
import { limitedPool } from './limited-client.ts';
import { limitExchanges, originHost } from './limited-exchange.ts';

export interface ConnectorOptions {
  guard: OutboundGuard;
  /** For the connection to stand, TLS included. */
  timeoutMs: number;
  /** Certificates that are trusted instead of the system's. */
  ca?: string;
}

/**
 * Connects undici to addresses that passed the guard, and to exactly those: the host is looked up once, checked and
 * pinned. SNI, certificate and `Host` keep the name. It is asked for every new connection, literals included
 * (`connect.lookup` is not), so a host that a redirect names passes it too.
 */
export function guardedConnector({ guard, timeoutMs, ca }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, ...(ca !== undefined && { ca }) });
  return (options, callback) => {
    const { hostname } = options;
    const connectPinned = ({ address }: { address: string }) => {
      const { servername: _, ...rest } = options;
      // RFC 6066 section 3: an address is no server name.
      const target = isIP(hostname) ? rest : { ...rest, servername: options.servername || hostname };
      const connected: buildConnector.Callback = (...[error, socket]) => {
        if (error) return callback(error, null);
        if (isSameAddress(socket.remoteAddress, address)) return callback(null, socket);
        socket.destroy();
        callback(new AddressRefusedError('must not lead to an address that was not checked'), null);
      };
      try {
        connect({ ...target, hostname: address }, connected);
      } catch (error) {
        callback(error as Error, null);
      }
    };
    guard.resolve(hostname).then(connectPinned, (error) => callback(error, null));
  };
}

function isSameAddress(actual: string | undefined, wanted: string): boolean {
  return actual !== undefined && parseAddress(actual)?.toString() === parseAddress(wanted)?.toString();
}

export interface AgentOptions extends ConnectorOptions {
  limiter: ConnectionLimiter;
  /** Whether connections stay open for a later request. */
  keepAlive: boolean;
  /** Bytes that may arrive for one request, headers included. */
  maxReceivedBytes?: number;
}

/**
 * A dispatcher for targets that callers name. It does not follow redirects; a caller that follows one sends a new request,
 * whose host is checked again. A refused host is reported as `AddressRefusedError`, one without address as
 * `NameNotFoundError`. It keeps a pool for each origin only while that has a connection or a request.
 */
export function guardedAgent({ limiter, keepAlive, maxReceivedBytes, ...options }: AgentOptions): Dispatcher {
  const connect = guardedConnector(options);
  const ofClient = {
    ...{ connect, counter: limiter, pipelining: keepAlive ? 1 : 0, connections: limiter.limits.perHost },
    ...(maxReceivedBytes !== undefined && { maxReceivedBytes }),
  };
  const agent = new Agent({ factory: (origin) => limitedPool(origin, ofClient) });
  return agent.compose(limitExchanges(limiter, originHost));
}

/**
 * The response of `asking`, or a rejection as soon as `signal` is aborted: undici itself notices that only when the
 * request has its connection.
 */
export function orEnded<T extends Dispatcher.ResponseData>(asking: Promise<T>, signal: AbortSignal): Promise<T> {
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
