// Prints the last line of .ci/run from the reports in a folder: vitest.json, clients.json and schemathesis.xml. A report that
// is missing counts as one failure, because then its tests did not run to their end.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const readers = {
  'vitest.json': (text) => {
    const { numPassedTests, numFailedTests, numFailedTestSuites, success } = JSON.parse(text);
    // A file that cannot be loaded fails as a suite without tests.
    return { passed: numPassedTests, failed: success ? 0 : Math.max(numFailedTests, numFailedTestSuites, 1) };
  },
  'clients.json': JSON.parse,
  'schemathesis.xml': (text) => {
    const [suites = ''] = /<testsuites[^>]*>/.exec(text) ?? [];
    const of = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suites)?.[1] ?? 0);
    const failed = of('failures') + of('errors');
    return { passed: of('tests') - failed - of('skipped'), failed };
  },
};

const folder = process.argv[2];
let passed = 0;
let failed = 0;
for (const [name, read] of Object.entries(readers)) {
  const file = join(folder, name);
  const counts = existsSync(file) ? read(readFileSync(file, 'utf8')) : { passed: 0, failed: 1 };
  passed += counts.passed;
  failed += counts.failed;
}
process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
