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

const isMongoHere = findMongo() !== null;
if (!isMongoHere) process.stderr.write(`test/soak/soak.test.ts ${noMongo}\n`);

test.each(isMongoHere ? ['sqlite', 'mongodb'] : ['sqlite'])(
  'all kinds of calls fail only during faults and are charged exactly, on %s',
  async (store) => {
    const short = ['--seconds', '12', '--fault-seconds', '0.6', '--grace', '5', '--step', '0.5'];
    const args = [...short, '--patient', '--store', store];
    const output = await run('soak', args);
    expect(output).not.toContain('BROKEN');
  },
);

test('every response during an overload is complete, or a refusal with Retry-After', async () => {
  const args = ['--seconds', '3', '--normal', '2'];
  const output = await run('overload', args);
  expect(output).not.toContain('fault:');
});
