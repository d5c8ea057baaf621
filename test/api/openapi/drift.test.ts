import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/print.ts', import.meta.url));

test('the files in schema/ match the code, and their examples match real responses', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, '--check'], {
    encoding: 'utf8',
    timeout: 600_000,
  });
  expect(stderr).toBe('');
  expect(status, 'run `npm run print`, and look at what has changed').toBe(0);
});
