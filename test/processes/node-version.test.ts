import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program of the repository with another value of `process.versions.node`. */
function run(args: readonly string[], version: string) {
  const fake = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(fake)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the version of Node', () => {
  test.each(['18.20.8', '20.18.9'])(
    '%s: every command fails with one line that has the required version',
    (version) => {
      const line = `postern: Node 20.19 or newer is needed, and this is Node ${version}\n`;
      for (const args of [['--version'], ['serve'], ['doctor']]) {
        expect(run(['scripts/postern.js', ...args], version)).toEqual({ status: 1, stdout: '', stderr: line });
      }
    },
  );

  test('is checked before a build and by `npm ci`', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
    for (const name of ['build', 'prepack']) expect(scripts[name]).toMatch(/^node scripts\/node-version\.js && /);
    expect(readFileSync(`${root}.npmrc`, 'utf8')).toBe('engine-strict=true\n');
  });

  test.each(['20.19.0', '24.0.0'])('%s: is accepted', (version) => {
    expect(run(['scripts/node-version.js'], version)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
