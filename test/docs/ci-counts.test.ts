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
  'clients-atproto.json': '{"passed":3,"failed":0}',
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
  expect(sum(whole)).toMatchObject({ status: 0, stdout: 'tests: 25 passed, 0 failed\n' });
  expect(sum({ ...whole, 'x-checks.log': 'requests\nrequests\nanswers\n' }).stdout).toBe(
    "checked against X's document: 2 requests, 1 answers\ntests: 25 passed, 0 failed\n",
  );
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

test('a test that passes when its file is run again counts as passed, and is named', () => {
  const report = (status: string, failureMessages: string[]) => ({
    numPassedTests: 2,
    success: status === 'passed',
    testResults: [
      {
        name: join(process.cwd(), 'test/a.test.ts'),
        status,
        assertionResults: [{ status, fullName: 'adds', failureMessages }],
      },
    ],
  });
  const first = { ...whole, 'vitest.json': JSON.stringify(report('failed', ['Error: slow'])) };
  expect(sum({ ...first, 'vitest-again.json': JSON.stringify(report('passed', [])) })).toMatchObject({
    status: 0,
    stdout: 'passed at the second attempt: test/a.test.ts: adds\n    Error: slow\ntests: 18 passed, 0 failed\n',
  });
  const unexpected = '{"level":50,"reason":"unexpected","err":{"message":"null"}}';
  const log = { 'errors.log': `{"level":50,"msg":"a worker died"}\n${unexpected}\n` };
  expect(sum({ ...first, ...log, 'vitest-again.json': JSON.stringify(report('passed', [])) }).stdout).toBe(
    `passed at the second attempt: test/a.test.ts: adds\n    Error: slow\n${unexpected}\ntests: 18 passed, 0 failed\n`,
  );
  expect(sum({ ...first, 'vitest-again.json': JSON.stringify(report('failed', ['Error: wrong'])) })).toMatchObject({
    status: 1,
    stdout: 'failed: test/a.test.ts: adds\n    Error: wrong\ntests: 17 passed, 1 failed\n',
  });
});

test('failed and repeated tests of Vitest are named with the beginning of their messages, before the sum', () => {
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
          { status: 'passed', fullName: 'divides', failureMessages },
        ],
      }),
      file('test/b.test.ts', { status: 'failed', message: 'SyntaxError', assertionResults: [] }),
    ],
  };
  expect(sum({ ...whole, 'vitest.json': JSON.stringify(vitest) }).stdout).toBe(
    [
      'failed: test/a.test.ts: subtracts',
      '    AssertionError: expected 1 to be 2',
      '        at test.ts:1:1',
      'failed: test/b.test.ts',
      '    SyntaxError',
      'passed at the second attempt: test/a.test.ts: divides',
      '    AssertionError: expected 1 to be 2',
      '        at test.ts:1:1',
      'tests: 17 passed, 2 failed',
      '',
    ].join('\n'),
  );
});
