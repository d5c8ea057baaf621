// The stores of scripts/many.js and scripts/scale.js.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';
import { temporaryFolder } from '../bench/processes.js';

/** Returns a database in a new folder: its name, the settings of its gateways, and functions that open and close it. */
export async function sqlite() {
  const { openSqliteStore } = await import('../../dist/store/sqlite/store.js');
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'postern.sqlite');
  return {
    what: 'SQLite',
    /** The number of concurrent writes with which it is filled. */
    atOnce: 200,
    env: { DATA_DIR: dataDir },
    // What a script writes need not survive a crash of the machine.
    open: async () => openSqliteStore({ path, runtime: systemRuntime, durable: false }),
    close: async () => {},
  };
}

/** Returns the same for a database on a MongoDB server, which is dropped at the end. `purpose` is a part of its name. */
export async function mongodbFor(purpose) {
  const { MongoClient } = await import('mongodb');
  const { openMongoStore } = await import('../../dist/store/mongo/store.js');
  const { findServer, withDatabase } = await import('../bench/mongo-server.js');
  const server = await findServer();
  if (!server) throw new Error('MONGODB_URL is not set, and neither mongod nor secantusd-py is installed');
  const url = withDatabase(server.url, `postern_${purpose}_${randomBytes(4).toString('hex')}`);
  return {
    what: server.what.startsWith('SecantusDB') ? 'SecantusDB' : 'MongoDB',
    atOnce: server.callers,
    env: { DATA_DIR: temporaryFolder(), MONGODB_URL: url },
    open: () => openMongoStore({ url }),
    close: async () => {
      const client = new MongoClient(url);
      await client.db().dropDatabase();
      await client.close();
      await server.stop();
    },
  };
}
