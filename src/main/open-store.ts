import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../shared/config/config.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Store } from '../store/port.ts';
import { openSqliteStoreInThread } from '../store/sqlite/worker-host.ts';

/** Opens the configured store in this thread, for commands and tests. */
export async function openStore(config: Config, runtime: Runtime): Promise<Store> {
  makeDataDir(config);
  const mongo = await openMongo(config);
  if (mongo) return mongo;
  const { openSqliteStore } = await import('../store/sqlite/store.ts');
  return openSqliteStore({ path: storePath(config), runtime });
}

/**
 * Opens the configured store for a service. The embedded store gets its own thread, so that no request waits for the disk. Calls
 * `onFailure` if that thread dies.
 */
export async function openServiceStore(config: Config, onFailure: (error: Error) => void): Promise<Store> {
  makeDataDir(config);
  const mongo = await openMongo(config);
  if (mongo) return mongo;
  const store = await openSqliteStoreInThread({ path: storePath(config) });
  store.onExit(onFailure);
  return store;
}

/** Opens MongoDB if it is configured. The import is dynamic, because the driver is large. */
async function openMongo({ secrets: { mongodbUrl } }: Config): Promise<Store | null> {
  if (mongodbUrl === null) return null;
  const { openMongoStore } = await import('../store/mongo/store.ts');
  return openMongoStore({ url: mongodbUrl.expose() });
}

/** Creates DATA_DIR with mode 0700. Missing parent folders get the default mode. */
export function makeDataDir({ dataDir }: Pick<Config, 'dataDir'>): void {
  makeFolder(dataDir, 0o700);
}

/** Creates a folder and its parents. In /proc, the recursive `mkdirSync` of Node 20 never returns. */
function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(path)) throw error;
  }
}

export function storePath({ dataDir }: Config): string {
  return join(dataDir, 'postern.sqlite');
}
