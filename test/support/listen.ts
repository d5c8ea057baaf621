import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { atEnd } from './at-end.ts';

/** Starts a server on a free port, which ends with the test. Returns the port. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  atEnd(() => close(server));
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a server as `listen` does. Returns its origin. */
export const originOf = async (server: Server) => `http://127.0.0.1:${await listen(server)}`;

/** Stops a server. Closes the connections of an HTTP server; those of other servers stay open. May be called again. */
export async function close(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections?.();
  if (server.closeAllConnections) await closed;
}
