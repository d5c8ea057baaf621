import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/print.js', import.meta.url));

test('what schema/ has of both APIs is what the code says, and its examples what the service answers', () => {
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  expect(status, 'run `npm run print`, and look at what has changed').toBe(0);
}, 60_000);
