// Runs all tests of Vitest, and writes the reports vitest.json and, if tests failed, vitest-again.json to a folder, the
// errors that services logged to errors.log, and what was checked against X's document to x-checks.log. Runs files with
// failed tests once more, in a process of their own, because the machine may have been too busy for a test. If more
// than `maxFiles` files failed, no file runs again.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const maxFiles = 10;
const folder = process.argv[2];
const env = {
  ...process.env,
  TEST_ERRORS_FILE: join(folder, 'errors.log'),
  X_CHECKS_FILE: join(folder, 'x-checks.log'),
};

function run(report, files) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(folder, report)}`];
  return spawnSync('npm', ['run', 'test:all', '--', ...reporters, ...files], { stdio: 'inherit', env }).status ?? 1;
}

let status = run('vitest.json', []);
if (status !== 0 && existsSync(join(folder, 'vitest.json'))) {
  const { testResults } = JSON.parse(readFileSync(join(folder, 'vitest.json'), 'utf8'));
  const files = testResults.filter((file) => file.status === 'failed').map(({ name }) => name);
  if (files.length > 0 && files.length <= maxFiles) status = run('vitest-again.json', files);
}
process.exitCode = status;
