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
    [0o700, [], 'itself'],
    [0o700, ['notes.txt'], 'itself'],
    [0o755, [], 'subfolder'],
    [0o755, ['postern.sqlite'], 'itself'],
    [0o755, ['secret.key'], 'itself'],
    [0o755, ['demo.json', 'notes.txt'], 'subfolder'],
    [0o750, [], 'subfolder'],
    [0o1777, [], 'subfolder'],
    [0o1777, ['postern.sqlite'], 'itself'],
    [0o2777, [], 'subfolder'],
    [0o2775, [], 'subfolder'],
  ])('with mode %i and files %j: uses %s', (mode, files, expected) => {
    make(folder, mode, files);
    expect(choose()).toBe(expected);
  });

  test('that is missing is used itself', () => {
    expect(choose()).toBe('itself');
  });

  test('that got its data in a subfolder keeps using it after its mode was restricted', () => {
    make(folder, 0o755);
    make(join(folder, 'postern'), 0o700, ['postern.sqlite']);
    expect(choose()).toBe('subfolder');
    chmodSync(folder, 0o700);
    expect(choose()).toBe('subfolder');
  });

  test.each(['file', 'link to a file'])('that is a %s is refused', (kind) => {
    const file = `${folder}.txt`;
    writeFileSync(file, '');
    if (kind === 'file') writeFileSync(folder, '');
    else symlinkSync(file, folder);
    expect(choose()).toBe(`DATA_DIR ("${folder}") is not a folder. Example: DATA_DIR=/var/lib/postern`);
  });

  test('with a file `postern` and other files is refused', () => {
    make(folder, 0o755, ['postern']);
    expect(choose()).toContain('`postern` in it is not a folder');
  });

  // Only root can give files to other users.
  describe.skipIf(!isRoot)('of another user', () => {
    test('is not used itself, whatever its mode', () => {
      make(folder, 0o700);
      chownSync(folder, stranger, stranger);
      expect(choose()).toBe('subfolder');
    });

    test('that all users can write: ignores a key of a stranger, and refuses his subfolder', () => {
      make(folder, 0o1777, ['secret.key']);
      chownSync(join(folder, 'secret.key'), stranger, stranger);
      expect(choose()).toBe('subfolder');
      make(join(folder, 'postern'), 0o755);
      chownSync(join(folder, 'postern'), stranger, stranger);
      expect(choose()).toContain('the folder `postern` in it belongs to another user');
    });
  });
});
