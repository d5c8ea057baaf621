import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../.ci/sum-counts.js', import.meta.url));

const whole = {
  'vitest.json': '{"numPassedTests":10,"numFailedTests":0,"numFailedTestSuites":0,"success":true}',
  'clients.json': '{"passed":5,"failed":0}',
  'clients-atproto.json': '{"passed":3,"failed":0}',
  'schemathesis.xml':
    '<testsuites errors="0" failures="0" skipped="2" tests="9" time="1"><testsuite tests="9"/></testsuites>',
};

function sum(reports: Record<string, string>): { status: number | null; stdout: string } {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, text] of Object.entries(reports)) writeFileSync(join(folder, name), text);
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
}

test('the last line of CI is the sum of what all runners counted', () => {
  expect(sum(whole)).toMatchObject({ status: 0, stdout: 'tests: 25 passed, 0 failed\n' });
});

test.each<[string, Record<string, string>, string]>([
  ['a failed step', { ...whole, 'clients.json': '{"passed":4,"failed":1}' }, 'tests: 24 passed, 1 failed\n'],
  [
    'a file that does not load',
    { ...whole, 'vitest.json': '{"numPassedTests":10,"numFailedTests":0,"numFailedTestSuites":1,"success":false}' },
    'tests: 25 passed, 1 failed\n',
  ],
  [
    'runners that did not get to their end',
    { 'clients.json': '{"passed":5,"failed":0}' },
    'tests: 5 passed, 3 failed\n',
  ],
])('%s is counted, and fails the run', (_name, reports, stdout) => {
  expect(sum(reports)).toMatchObject({ status: 1, stdout });
});

test('names failed tests of Vitest with the beginning of their messages, and unexpected errors, before the sum', () => {
  const failureMessages = ['AssertionError: expected 1 to be 2\n    at test.ts:1:1'];
  const file = (name: string, rest: object) => ({ name: join(process.cwd(), name), ...rest });
  const vitest = {
    numPassedTests: 2,
    numFailedTests: 1,
    numFailedTestSuites: 2,
    success: false,
    testResults: [
      file('test/a.test.ts', {
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'adds', failureMessages: [] },
          { status: 'failed', fullName: 'subtracts', failureMessages },
        ],
      }),
      file('test/b.test.ts', { status: 'failed', message: 'SyntaxError', assertionResults: [] }),
    ],
  };
  const unexpected = '{"level":50,"reason":"unexpected","err":{"message":"null"}}';
  const log = { 'errors.log': `{"level":50,"msg":"a worker died"}\n${unexpected}\n` };
  expect(sum({ ...whole, ...log, 'vitest.json': JSON.stringify(vitest) }).stdout).toBe(
    [
      'failed: test/a.test.ts: subtracts',
      '    AssertionError: expected 1 to be 2',
      '        at test.ts:1:1',
      'failed: test/b.test.ts',
      '    SyntaxError',
      unexpected,
      'tests: 17 passed, 2 failed',
      '',
    ].join('\n'),
  );
});
