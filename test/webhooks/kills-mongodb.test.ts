import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { findMongo, noMongo, startMongo } from '../support/mongo-server.ts';
import { killing, killsTimeoutMs, surviveKills } from './kills.ts';

const found = findMongo();
if (!found) process.stderr.write(`test/webhooks/kills-mongodb.test.ts ${noMongo}\n`);

test.skipIf(!found)(
  `two gateways on one MongoDB, killed ${killing.kills} times, lose no event and repeat only the same ones`,
  { timeout: killsTimeoutMs },
  async () => {
    if (!found) return;
    const mongo = await startMongo(found);
    try {
      const url = mongo.url(`postern-${randomBytes(6).toString('hex')}`);
      expect(await surviveKills(url, 2)).toBeLessThan(killing.kills * 4 * 20);
    } finally {
      await mongo.stop();
    }
  },
);
