import { type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface DataDir {
  /** The folder that DATA_DIR names. `demo.json` is in it. */
  readonly given: string;
  /** The folder of all other files. */
  readonly used: string;
}

/** A folder with one of these files is a data folder. */
const ownFiles = ['postern.sqlite', 'secret.key'];
const ofOthers = 0o077;
const writableByAll = 0o002;

/**
 * Chooses the folder in which Postern works: the folder that DATA_DIR names, or its subfolder `postern` if that folder is used for other
 * files too. So the mode of a folder that Postern did not create is never changed. Creates nothing. Returns the problem as text if there is
 * one.
 */
export function chooseDataDir(text: string): { value: DataDir } | string {
  const given = resolve(text);
  const folder = find(given);
  if (folder && !folder.isDirectory()) return 'is not a folder';
  if (!folder || process.platform === 'win32' || holdsData(given, folder)) return { value: { given, used: given } };

  const used = join(given, 'postern');
  const subfolder = find(used);
  if (!(subfolder && holdsData(used, subfolder)) && isPrivate(folder)) return { value: { given, used: given } };
  if (subfolder && !subfolder.isDirectory()) return 'is a folder of other files, and `postern` in it is not a folder';
  // In a folder that all users can write, such as /tmp, another user may have made the subfolder.
  if (subfolder && (folder.mode & writableByAll) !== 0 && !isTrusted(subfolder)) {
    return 'is a folder of other files, and the folder `postern` in it belongs to another user';
  }
  return { value: { given, used } };
}

/** In a folder that all users can write, only files of this user and of root count. Others may be there to give Postern a known key. */
function holdsData(path: string, folder: Stats): boolean {
  return ownFiles.some((name) => {
    const file = find(join(path, name));
    return file !== null && ((folder.mode & writableByAll) === 0 || isTrusted(file));
  });
}

function isPrivate({ mode, uid }: Stats): boolean {
  return (mode & ofOthers) === 0 && uid === process.getuid?.();
}

function isTrusted({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

/** A path that cannot be looked at counts as missing. Its use fails later, with an error that names it. */
function find(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
