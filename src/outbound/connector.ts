import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { parseAddress } from './address.ts';
import { AddressRefusedError } from './faults.ts';
import type { OutboundGuard } from './guard.ts';

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

/**
 * A dispatcher for targets that callers name. It follows no redirect; who follows one asks it again, which checks the
 * new host too. A refused host comes out as `AddressRefusedError`, one without address as `NameNotFoundError`.
 */
export function guardedAgent(options: ConnectorOptions & { maxResponseBytes?: number }): Agent {
  return new Agent({
    connect: guardedConnector(options),
    ...(options.maxResponseBytes !== undefined && { maxResponseSize: options.maxResponseBytes }),
  });
}
