import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterAll } from 'vitest';

/** Starts a server on a free loopback port and returns its origin. It is stopped after all tests of the file, or when `onEnd` says. */
export async function listen(
  server: Server | HttpServer,
  onEnd: (stop: () => void) => unknown = afterAll,
): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
