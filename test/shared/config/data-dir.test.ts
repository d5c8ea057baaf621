import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/shared/config/config.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const stranger = 4_321;
let folder: string;

beforeEach(() => {
  folder = join(temporaryFolder(onTestFinished), 'folder');
});

function make(path: string, mode: number, files: string[] = []): void {
  mkdirSync(path);
  for (const file of files) writeFileSync(join(path, file), '');
  chmodSync(path, mode);
}

/** Returns `itself`, `subfolder`, or the problem. */
function choose(): string {
  const before = statSync(folder, { throwIfNoEntry: false })?.mode;
  try {
    const { dataDir, demoDir } = readConfig({ DATA_DIR: folder });
    expect(demoDir).toBe(folder);
    expect([folder, join(folder, 'postern')]).toContain(dataDir);
    return dataDir === folder ? 'itself' : 'subfolder';
  } catch (error) {
    return (error as Error).message;
  } finally {
    expect(statSync(folder, { throwIfNoEntry: false })?.mode).toBe(before);
  }
}

describe('DATA_DIR', () => {
  test.each([
    ['700', [], 'itself'],
    ['700', ['notes.txt'], 'itself'],
    ['755', [], 'subfolder'],
    ['755', ['postern.sqlite'], 'itself'],
    ['755', ['secret.key'], 'itself'],
    ['755', ['demo.json', 'notes.txt'], 'subfolder'],
    ['750', [], 'subfolder'],
    ['1777', [], 'subfolder'],
    ['1777', ['postern.sqlite'], 'itself'],
    ['2777', [], 'subfolder'],
    ['2775', [], 'subfolder'],
  ])('mode %s and files %j: uses %s', (mode, files, expected) => {
    make(folder, Number.parseInt(mode, 8), files);
    expect(choose()).toBe(expected);
  });

  test('missing folder: uses itself', () => {
    expect(choose()).toBe('itself');
  });

  test('data in the subfolder: keeps using it after the folder got mode 700 and a copy of the key, but no store', () => {
    make(folder, 0o755);
    make(join(folder, 'postern'), 0o700, ['postern.sqlite']);
    expect(choose()).toBe('subfolder');
    chmodSync(folder, 0o700);
    expect(choose()).toBe('subfolder');
    writeFileSync(join(folder, 'secret.key'), '');
    expect(choose()).toBe('subfolder');
    writeFileSync(join(folder, 'postern.sqlite'), '');
    expect(choose()).toBe('itself');
  });

  test.each(['file', 'link to a file'])('%s instead of a folder: is refused', (kind) => {
    const file = `${folder}.txt`;
    writeFileSync(file, '');
    if (kind === 'file') writeFileSync(folder, '');
    else symlinkSync(file, folder);
    expect(choose()).toBe(`DATA_DIR ("${folder}") is not a folder. Example: DATA_DIR=/var/lib/postern`);
  });

  test('mode 755 and a file `postern`: is refused', () => {
    make(folder, 0o755, ['postern']);
    expect(choose()).toContain('`postern` in it is not a folder');
  });

  // Only root can give files to other users.
  describe.skipIf(!isRoot)('folder of another user', () => {
    test('mode 700: uses the subfolder', () => {
      make(folder, 0o700);
      chownSync(folder, stranger, stranger);
      expect(choose()).toBe('subfolder');
    });

    test('mode 1777: ignores a secret key of another user, and refuses a subfolder of another user', () => {
      make(folder, 0o1777, ['secret.key']);
      chownSync(join(folder, 'secret.key'), stranger, stranger);
      expect(choose()).toBe('subfolder');
      make(join(folder, 'postern'), 0o755);
      chownSync(join(folder, 'postern'), stranger, stranger);
      expect(choose()).toContain('the folder `postern` in it belongs to another user');
    });
  });
});
