import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

const lockFiles = ['package-lock.json', '.ci/lint/package-lock.json'];

describe.each(lockFiles)('%s', (file) => {
  const { packages } = JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as Lock;

  // npm omits packages that it cannot find when it writes the file, and then `npm ci` refuses the file on every machine.
  test('has the packages of all systems, not only of the one that wrote it', () => {
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
  });
});
