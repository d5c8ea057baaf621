import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/soak.js', import.meta.url));

test('five minutes of all kinds of calls leave memory and sockets flat and the books exact', {
  timeout: 900_000,
}, async () => {
  // Rejects with the output if the script exits with 1.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, '--seconds', '300']);
  process.stdout.write(stdout);
  expect(stderr).toBe('');
});
