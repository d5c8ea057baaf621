import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type AtprotoNetwork, startAtprotoNetwork } from './atproto-network.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sharedAtprotoNetwork: string;
  }
}

/**
 * Starts the AT Protocol's servers when the first test file asks for them, and stops them after the last file, so that all files of a run
 * share one network.
 */
export default async function shareAtprotoNetwork(project: TestProject): Promise<() => Promise<void>> {
  let network: Promise<AtprotoNetwork> | undefined;
  const server = createServer(async (_request, response) => {
    network ??= startAtprotoNetwork();
    try {
      const { stop: _, ...addresses } = await network;
      response.end(JSON.stringify(addresses));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('sharedAtprotoNetwork', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.close();
    await (await network?.catch(() => undefined))?.stop();
  };
}
