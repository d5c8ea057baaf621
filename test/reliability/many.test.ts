import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/many.js', import.meta.url));

test('a store filled with keys, webhooks, events and calls serves every kind of call, and every event that is sent again arrives', async () => {
  const sizes = ['--sizes', '100,400', '--pollers', '50', '--seconds', '1', '--rest', '1', '--starts', '1'];
  const short = [...sizes, '--warm', '1', '--measured', '2', '--unjudged'];
  // Rejects with the output if the script exits with 1.
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...short]);
  process.stdout.write(stdout);
  expect(stdout).toContain('400 keys, 400 webhooks, 4000 events, 4000 charged calls');
  expect(stdout).toMatch(/^ {2}event sent again .* [1-9]\d* calls$/m);
  expect(stdout).toMatch(/^50 pollers: /m);
});
