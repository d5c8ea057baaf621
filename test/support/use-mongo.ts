import { expect } from 'vitest';
import { atEnd } from './at-end.ts';
import { findMongo, type MongoOptions, type MongoServer, noMongo, runningServer, startMongo } from './mongo-server.ts';

/**
 * Starts a MongoDB server, which ends with the test, or uses a running one. `isMissing` is true if neither is possible. With `own`, a running
 * server is not used.
 */
export async function useMongo({
  own = false,
  ...options
}: MongoOptions & { own?: boolean } = {}): Promise<MongoServer & { isMissing: boolean }> {
  const found = findMongo();
  if (found === null || (own && found.kind === 'running')) {
    process.stderr.write(`${expect.getState().testPath} ${noMongo}\n`);
    return Object.assign(runningServer(''), { isMissing: true });
  }
  const server = await startMongo(found, options);
  atEnd(server.stop);
  return Object.assign(server, { isMissing: false });
}
