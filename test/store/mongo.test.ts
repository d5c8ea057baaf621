import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';
import { describeStore } from './conformance.ts';
import { patientStore } from './patient-store.ts';

const dayMs = 86_400_000;
const server = await useMongo();

describe.skipIf(server.isMissing)('on a MongoDB server', () => {
  describeStore(
    'the mongodb store',
    async () => {
      const database = `postern-${randomBytes(8).toString('hex')}`;
      const opened: Store[] = [];
      // The server deletes expired documents by its own clock. The store's clock is a day ahead, so nothing expires during a slow test.
      let clock = Date.now() + dayMs;
      return {
        async open() {
          const options = { url: server.url(database), adjustClock: () => clock };
          const openOnce = () =>
            openMongoStore(options).catch((error) => {
              // The lock of the migrations may be left behind. It never expires while the clock does not advance.
              if (opened.length === 0) clock += dayMs;
              throw error;
            });
          const store = patientStore(await until(openOnce));
          opened.push(store);
          return store;
        },
        now: () => clock,
        leap(ms) {
          clock += ms;
        },
        async end() {
          for (const store of opened) await store.close();
          const client = new MongoClient(server.url(database));
          await client.db().dropDatabase();
          await client.close();
        },
      };
    },
    450,
  );
});
