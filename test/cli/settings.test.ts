import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../../src/shared/config/settings.ts';
import { postern } from '../support/command.ts';
import { originOf } from '../support/listen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder();
writeFileSync(join(dataDir, 'file'), '');
const other = createServer((_request, response) => void response.end('<h1>Something else</h1>'));
const taken = new URL(await originOf(other)).port;

const serve = (env: Record<string, string>) =>
  postern(['serve'], { DATA_DIR: join(dataDir, 'data'), PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'silent', ...env });

describe('a start that cannot succeed', () => {
  const cases: [string, () => Record<string, string>][] = [
    ['PORT', () => ({ PORT: 'eighty' })],
    ['LOG_LEVEL', () => ({ LOG_LEVEL: 'loud' })],
    ['PLATFORM_KIND', () => ({ PLATFORM_URL: 'http://127.0.0.1:1' })],
    ['HOST', () => ({ HOST: '0.0.0.0' })],
    ['MONGODB_URL', () => ({ MONGODB_URL: 'mongodb://localhost' })],
    ['SECRET_KEY', () => ({ SECRET_KEY: 'x' })],
    ['PORT', () => ({ PORT: taken })],
    ['SANDBOX_PORT', () => ({ SANDBOX_PORT: taken })],
    ['DATA_DIR', () => ({ DATA_DIR: join(dataDir, 'file') })],
    ['DATA_DIR', () => ({ DATA_DIR: join(dataDir, 'file', 'below') })],
    ['HOST', () => ({ HOST: '203.0.113.7', SANDBOX_PUBLIC: '1' })],
    ['HOST', () => ({ HOST: 'no-such-host.invalid', SANDBOX_PUBLIC: '1' })],
    ['PLATFORM_URL', () => ({ PLATFORM_URL: 'http://127.0.0.1:1', PLATFORM_KIND: 'sandbox' })],
    ['PLATFORM_URL', () => ({ PLATFORM_URL: `http://127.0.0.1:${taken}`, PLATFORM_KIND: 'sandbox' })],
  ];
  test.each(cases)('names %s in a message for people, and exits with 1 or 2', async (name, env) => {
    const { code, out, err } = await serve(env());
    expect(err).toMatch(new RegExp(`\\b${name}\\b`));
    expect(err).toMatch(/^postern: /);
    expect(err).not.toMatch(/undefined|\[object|\n\s+at /);
    expect(code).toBe(err.startsWith('postern: these settings are wrong') ? 2 : 1);
    expect(out).toBe('');
  });

  test('reports which port is in use', async () => {
    expect((await serve({ PORT: taken })).err).toContain(`port ${taken} is taken`);
    expect((await serve({ SANDBOX_PORT: taken })).err).toContain(`port ${taken} is taken`);
  });
});

describe('--help', () => {
  test('lists every command in groups, on one screen', async () => {
    const { code, out } = await postern(['--help']);
    expect(code).toBe(0);
    for (const word of ['serve', 'sandbox', 'account', 'key', 'listen', 'doctor']) expect(out).toMatch(`\n  ${word} `);
    expect(out.split('\n').length).toBeLessThan(40);
  });

  test('of serve lists every setting', async () => {
    const { code, out } = await postern(['serve', '--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(settings)) expect(out).toMatch(new RegExp(`^  ${name} {2,}[A-Z0-9]`, 'm'));
  });

  test.each([['account'], ['key'], ['serve'], ['sandbox'], ['account', 'create'], ['key', 'revoke']])(
    'of %s %s',
    async (...args) => {
      const { code, out } = await postern([...args, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: postern ${args.join(' ')}`);
    },
  );

  test('stands in for a command that was left out', async () => {
    const { code, err } = await postern([]);
    expect(code).toBe(2);
    expect(err).toContain('Usage: postern');
  });

  test('of a mistyped command names the nearest one', async () => {
    const { code, err } = await postern(['accout', 'list']);
    expect(code).toBe(2);
    expect(err).toContain('Did you mean account?');
  });
});

test('--version prints the version alone', async () => {
  expect((await postern(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
