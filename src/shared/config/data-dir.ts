import { type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface DataDir {
  /** The folder that DATA_DIR names, with `demo.json` and `demo.env`. */
  readonly given: string;
  /** The folder of all other files. */
  readonly used: string;
}

/** A folder with one of these files has data of Postern. The store comes first, because a key may be a copy. */
const ownFiles = ['postern.sqlite', 'secret.key'];
const ofOthers = 0o077;
const writableByAll = 0o002;

/**
 * Chooses the folder in which Postern works: the folder that DATA_DIR names, or its subfolder `postern` if the folder is not
 * private. Therefore Postern need not change the mode of a folder that it did not create. Creates nothing. Returns a string if
 * the folder cannot be used.
 */
export function chooseDataDir(text: string): { value: DataDir } | string {
  const given = resolve(text);
  const folder = find(given);
  if (folder && !folder.isDirectory()) return 'is not a folder';
  if (!folder || process.platform === 'win32') return { value: { given, used: given } };

  const used = join(given, 'postern');
  const subfolder = find(used);
  const [holder] = ownFiles.flatMap((name) => [given, used].filter((path) => holds(path, name)));
  if (holder === given || (holder === undefined && isPrivate(folder))) return { value: { given, used: given } };

  if (subfolder && !subfolder.isDirectory()) return 'is not a private folder, and `postern` in it is not a folder';
  // In a folder that all users can write, such as /tmp, another user may have created the subfolder.
  if (subfolder && (folder.mode & writableByAll) !== 0 && !isTrusted(subfolder)) {
    return 'is not a private folder, and the folder `postern` in it belongs to another user';
  }
  return { value: { given, used } };
}

/**
 * In a folder that all users can write, only files of this user and of root count. Another user may have created a file with a
 * known key.
 */
function holds(path: string, name: string): boolean {
  const [folder, file] = [find(path), find(join(path, name))];
  return folder !== null && file !== null && ((folder.mode & writableByAll) === 0 || isTrusted(file));
}

function isPrivate({ mode, uid }: Stats): boolean {
  return (mode & ofOthers) === 0 && uid === process.getuid?.();
}

function isTrusted({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

/** Returns `null` also for a path that cannot be read. A later access to the path throws an error that names it. */
function find(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
