import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the package holds what runs, and nothing that only builds', () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  // As `npm test` leaves it, so that it is not built beside tests that run what is there.
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(out) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/main/serve.js');
  expect(paths).toContain('schema/openapi.json');
  expect(paths.filter((path) => /tsbuildinfo|\.test\.|^(src|test|\.ci)\//.test(path))).toEqual([]);
});
