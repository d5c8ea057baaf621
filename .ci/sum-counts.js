// Prints the last lines of .ci/run from the reports in a folder: vitest.json, vitest-again.json (the files that were
// run once more), errors.log, x-checks.log, clients.json, clients-atproto.json and schemathesis.xml. The lines name the
// tests of Vitest that failed and those that passed only at the second attempt, with their messages and the unexpected
// errors of the log, and count what was checked against X's document. The last line is the sum. A missing report counts
// as one failure, because its tests did not finish.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const maxMessageLines = 6;
const maxListed = 20;
const maxLogCharacters = 1_000;
const folder = process.argv[2];

const readers = {
  'vitest.json': (text) => {
    const first = JSON.parse(text);
    const again = join(folder, 'vitest-again.json');
    const failures = failuresOf(first);
    const last = existsSync(again) ? failuresOf(JSON.parse(readFileSync(again, 'utf8'))) : failures;
    const isLast = new Set(last.map(({ title }) => title));
    const repaired = failures.filter(({ title }) => !isLast.has(title));
    const second = [...repaired, ...retriedOf(first)];
    const list = [
      ...last.map((one) => entry('failed', one)),
      ...second.map((one) => entry('passed at the second attempt', one)),
    ];
    // Errors outside of tests fail the run without a failed test.
    const failed = first.success ? 0 : Math.max(last.length, existsSync(again) ? 0 : 1);
    const log = list.length > 0 ? unexpectedErrors() : [];
    return {
      passed: first.numPassedTests + repaired.length,
      failed,
      list: [...list.slice(0, maxListed), ...log.slice(0, maxListed)],
    };
  },
  'clients.json': JSON.parse,
  'clients-atproto.json': JSON.parse,
  'schemathesis.xml': (text) => {
    const [suites = ''] = /<testsuites[^>]*>/.exec(text) ?? [];
    const of = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
    const failed = of('failures') + of('errors');
    return { passed: of('tests') - failed - of('skipped'), failed };
  },
};

/** Returns the title and the message of each failed test, and of each file that failed without one. */
function failuresOf({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && tests.length === 0) return [{ title: file, message }];
    return tests.map((test) => titled(file, test));
  });
}

/** Returns the tests that Vitest itself repeated until they passed. */
function retriedOf({ testResults = [] }) {
  return testResults.flatMap(({ name, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'passed' && test.failureMessages.length > 0);
    return tests.map((test) => titled(relative(process.cwd(), name), test));
  });
}

/** Returns the logged errors with the reason `unexpected`. */
function unexpectedErrors() {
  const file = join(folder, 'errors.log');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line.includes('"reason":"unexpected"')).map((line) => line.slice(0, maxLogCharacters));
}

const titled = (file, { fullName, failureMessages }) => ({
  title: `${file}: ${fullName}`,
  message: failureMessages.join('\n'),
});

const entry = (outcome, { title, message }) => `${outcome}: ${title}\n${beginning(message)}`;

function beginning(text = '') {
  const lines = text.split('\n').slice(0, maxMessageLines);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}

/** Prints how many requests and answers were checked against X's document, and the differences that are meant. */
function printChecksOfX() {
  const file = join(folder, 'x-checks.log');
  if (!existsSync(file)) return;
  const counts = new Map();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  const list = [...counts].map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`checked against X's document: ${list.join(', ')}\n`);
}

printChecksOfX();
let passed = 0;
let failed = 0;
for (const [name, read] of Object.entries(readers)) {
  const file = join(folder, name);
  const counts = existsSync(file) ? read(readFileSync(file, 'utf8')) : { passed: 0, failed: 1 };
  passed += counts.passed;
  failed += counts.failed;
  for (const entry of counts.list ?? []) process.stdout.write(`${entry}\n`);
}
process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
