import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';

const script = fileURLToPath(new URL('../../scripts/backup-under-load.js', import.meta.url));
const short = {
  sqlite: '--seconds 4 --callers 3 --damages 4 --webhooks 110 --kills 1',
  // The server of the tests is slow.
  mongodb: '--seconds 2 --callers 1 --damages 2 --webhooks 20 --kills 1',
};
const found = findMongo();
if (!found) process.stderr.write(`test/reliability/backup.test.ts, MongoDB: ${noMongo}\n`);

describe.each(['sqlite', 'mongodb'] as const)('under load on the %s store', (store) => {
  test.skipIf(store === 'mongodb' && !found)(
    'backups are exact and can be restored, damage is found, and a change of SECRET_KEY fails no call',
    async () => {
      // Rejects with the output if the script exits with 1.
      const args = [script, '--store', store, ...short[store].split(' ')];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
      process.stdout.write(stdout);
      expect(stderr).toBe('');
      expect(stdout.match(/promised:/g)).toHaveLength(3);
    },
  );
});
