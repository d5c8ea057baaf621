import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';

/** Runs a check and returns its output. If it exits with 1, the error contains the output. */
async function run(name: string, args: string[]): Promise<string> {
  const script = fileURLToPath(new URL('../../scripts/check.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, name, ...args]).catch(
    (error) => {
      throw new Error(`${error.message}${error.stdout}`);
    },
  );
  process.stdout.write(stdout);
  return stdout;
}

const found = findMongo();
/** A server that was already running must not be disturbed. */
const canStartMongo = found !== null && found.kind !== 'running';
if (!canStartMongo) process.stderr.write(`test/soak/soak.test.ts ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);

test.each(canStartMongo ? ['sqlite', 'mongodb'] : ['sqlite'])(
  'all kinds of calls fail only during faults and are charged exactly, on %s',
  async (store) => {
    const output = await run('soak', ['--seconds', '12', '--store', store]);
    expect(output).not.toContain('BROKEN');
  },
);

test('every response during an overload is complete, or a refusal with Retry-After', async () => {
  const output = await run('overload', ['--seconds', '3']);
  expect(output).not.toContain('fault:');
});
