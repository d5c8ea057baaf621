import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postern, posternProcess } from '../support/command.ts';
import { readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { isAll } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
/** The user of the image and of the Kubernetes manifest. */
const imageUser = 1_000;
const settings = { PORT: '0', SANDBOX_PORT: '0' };
const modeOf = (path: string) => statSync(path).mode & 0o7777;

function start(args: readonly string[], dataDir: string) {
  const started = startPostern(args, { ...settings, DATA_DIR: dataDir }, undefined, isRoot ? imageUser : undefined);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

/** Runs the service until it listens. Returns its log after a normal stop. */
async function serve(dataDir: string): Promise<string> {
  const service = start(['serve'], dataDir);
  await service.printed(/listening on/);
  const demo = readDemo(dataDir);
  expect((await fetch(new URL('/healthz', demo.baseUrl))).status).toBe(200);
  expect(await service.end('SIGTERM')).toBe(0);
  return service.log();
}

describe('a data folder that Postern did not create', () => {
  // A Kubernetes emptyDir with `fsGroup`, a Kubernetes volume claim, and a bind mount of a folder in a home directory.
  test.each(isAll ? ['2777', '2775', '755'] : ['2777'])(
    'mode %s: keeps it and stores the data in a private subfolder',
    async (octal) => {
      const mode = Number.parseInt(octal, 8);
      const outer = temporaryFolder(onTestFinished);
      const dataDir = join(outer, 'volume');
      mkdirSync(dataDir);
      if (isRoot) chmodSync(outer, 0o755);
      // In Kubernetes, root owns volumes, and the group may write to them.
      if (isRoot) chownSync(dataDir, mode === 0o755 ? imageUser : 0, imageUser);
      chmodSync(dataDir, mode);

      for (let turn = 0; turn < 2; turn++) {
        const log = await serve(dataDir);
        expect(log.split('\n')[0]).toContain('DATA_DIR is a folder with other files');
        expect(log.split('\n')[0]).toContain(join(dataDir, 'postern'));
      }
      expect(modeOf(dataDir)).toBe(mode);
      expect(readdirSync(dataDir).sort()).toEqual(['demo.env', 'demo.json', 'postern']);
      const subfolder = join(dataDir, 'postern');
      expect(modeOf(subfolder) & 0o777).toBe(0o700);
      for (const name of ['postern.sqlite', 'secret.key']) expect(modeOf(join(subfolder, name))).toBe(0o600);
      for (const name of ['demo.json', 'demo.env']) expect(modeOf(join(dataDir, name))).toBe(0o600);
      // Commands use the same folder.
      await start(['account', 'list'], dataDir).printed(/acc_demo/);
      expect(existsSync(join(dataDir, 'postern.sqlite'))).toBe(false);
    },
  );

  test('data of an earlier release: keeps storing in the folder itself, with its mode', async () => {
    const dataDir = join(temporaryFolder(onTestFinished), 'data');
    expect((await postern(['account', 'create', '--name', 'old'], { DATA_DIR: dataDir })).code).toBe(0);
    chmodSync(dataDir, 0o750);
    expect((await postern(['account', 'list'], { DATA_DIR: dataDir })).out).toContain('old');
    expect(modeOf(dataDir)).toBe(0o750);
    expect(existsSync(join(dataDir, 'postern'))).toBe(false);
  });
});

describe('DATA_DIR', () => {
  const folder = temporaryFolder();

  test('missing folder: creates it with mode 700, and its parents with the default mode', async () => {
    const dataDir = join(folder, 'a', 'b', 'data');
    expect((await postern(['account', 'list'], { DATA_DIR: dataDir })).code).toBe(0);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(dirname(dataDir))).toBe(0o777 & ~process.umask());
  });

  // In /proc, the recursive mkdir of Node 20 never returns.
  test.skipIf(!existsSync('/proc/self'))('folder that cannot be created: serve fails with one line', async () => {
    const { code, err } = await posternProcess(['serve'], { ...settings, DATA_DIR: '/proc/postern/data' });
    expect(code).toBe(1);
    expect(err).toMatch(/^postern: DATA_DIR cannot be used: ENOENT.*\n$/);
  });

  test.each([['serve'], ['sandbox'], ['account', 'list'], ['backup', join(folder, 'backup')], ['doctor']])(
    'file instead of a folder: %s fails with one line',
    async (...args) => {
      const file = join(folder, 'file');
      writeFileSync(file, 'content');
      chmodSync(file, 0o644);
      const { code, out, err } = await postern(args, { ...settings, DATA_DIR: file });
      expect(code).not.toBe(0);
      const lines = `${out}${err}`.split('\n').filter((line) => line.includes('DATA_DIR'));
      expect(lines[0]).toContain(`DATA_DIR ("${file}") is not a folder`);
      expect(`${out}${err}`).not.toMatch(/^ +at /m);
      expect(modeOf(file)).toBe(0o644);
    },
  );
});
