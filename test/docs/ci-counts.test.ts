import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../.ci/sum-counts.js', import.meta.url));

const whole = {
  'vitest.json': '{"numPassedTests":10,"numFailedTests":0,"numFailedTestSuites":0,"success":true}',
  'clients.json': '{"passed":5,"failed":0}',
  'schemathesis.xml':
    '<testsuites errors="0" failures="0" skipped="2" tests="9" time="1"><testsuite tests="9"/></testsuites>',
};

function sum(reports: Record<string, string>): { status: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'postern-counts-'));
  try {
    for (const [name, text] of Object.entries(reports)) writeFileSync(join(folder, name), text);
    return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the last line of CI is the sum of what all runners counted', () => {
  expect(sum(whole)).toMatchObject({ status: 0, stdout: 'tests: 22 passed, 0 failed\n' });
});

test.each<[string, Record<string, string>, string]>([
  ['a failed step', { ...whole, 'clients.json': '{"passed":4,"failed":1}' }, 'tests: 21 passed, 1 failed\n'],
  [
    'a file that does not load',
    { ...whole, 'vitest.json': '{"numPassedTests":10,"numFailedTests":0,"numFailedTestSuites":1,"success":false}' },
    'tests: 22 passed, 1 failed\n',
  ],
  [
    'runners that did not get to their end',
    { 'clients.json': '{"passed":5,"failed":0}' },
    'tests: 5 passed, 2 failed\n',
  ],
])('%s is counted, and fails the run', (_name, reports, stdout) => {
  expect(sum(reports)).toMatchObject({ status: 1, stdout });
});
