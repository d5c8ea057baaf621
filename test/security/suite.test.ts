import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { surfaces } from '../../scripts/security/surfaces.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const filesIn = (folder: string) => readdirSync(`${root}/${folder}`);
const tests = Object.values(surfaces).flatMap(({ tests: always, browser = [] }) => [...always, ...browser]);

describe('the security suite', () => {
  test.each(tests)('runs test/%s.test.ts, which exists', (name) => {
    expect(existsSync(`${root}/test/${name}.test.ts`)).toBe(true);
  });

  test('runs each file once, and all of test/security', () => {
    expect(new Set(tests).size).toBe(tests.length);
    const own = filesIn('test/security').filter((file) => /^(?!(suite|command)\.).*\.test\.ts$/.test(file));
    expect(tests).toEqual(expect.arrayContaining(own.map((file) => `security/${file.slice(0, -'.test.ts'.length)}`)));
  });

  test('sends all hostile requests', () => {
    const sent = Object.values(surfaces).flatMap(({ attacks = [] }) => attacks.map((name) => `${name}.ts`));
    expect(sent.sort()).toEqual(filesIn('scripts/bench/hostile/attacks').sort());
  });
});

describe('SECURITY.md', () => {
  const page = readFileSync(`${root}/SECURITY.md`, 'utf8');
  const section = page.split('\n## OWASP API Security Top 10 (2023)\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| API'));

  test('maps each of the ten risks to tests', () => {
    const names = Array.from({ length: 10 }, (_, i) => `API${i + 1}`);
    expect(rows.map((row) => /^\| (API\d+) /.exec(row)?.[1])).toEqual(names);
    for (const row of rows) expect(row).toMatch(/`test\/\S+\.test\.ts`/);
  });

  test('names tests that exist', () => {
    for (const [, file = ''] of section.matchAll(/`(test\/\S+)`/g))
      expect(existsSync(`${root}/${file}`), file).toBe(true);
  });
});
