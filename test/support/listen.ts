import type { AddressInfo, Server } from 'node:net';
import { afterAll } from 'vitest';

/** Starts a server on a free loopback port, stops it after all tests of the file, or when `onEnd` says, and returns its origin. */
export async function listen(server: Server, onEnd: (stop: () => void) => unknown = afterAll): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => {
    if ('closeAllConnections' in server) (server as import('node:http').Server).closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
