import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/check.ts', import.meta.url));

test('the security suite attacks a surface, with tests and hostile requests, and prints a line for it', async () => {
  const args = ['--surface', 'streams', '--hostile', '1', '--stop-ms', '60000', '--seed', '1a2b3c4d'];
  // Rejects if the script exits with 1.
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, 'security', ...args]);
  const [, tried, held] = /^streams +(\d+) attacks, +(\d+) held$/m.exec(stdout) ?? [];
  expect(Number(tried)).toBeGreaterThan(20);
  expect(held).toBe(tried);
});
