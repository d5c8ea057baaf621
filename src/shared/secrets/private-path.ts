import { chmodSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Called with the path and its previous mode, such as `0755`. */
export type OnTightened = (path: string, mode: string) => void;

const sticky = 0o1000;

/**
 * Sets the mode of a file or folder if other users have any access to it. Does nothing if the path does not exist, or on Windows, which has
 * no such modes. Throws if another user owns the path, or if it is a folder that users share.
 */
export function tightenMode(path: string, wanted: number, onTightened: OnTightened): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (process.platform === 'win32' || !found || (found.mode & 0o077) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const isShared = found.isDirectory() && ((found.mode & sticky) !== 0 || dirname(path) === path);
  if (isShared) {
    throw new Error(
      `DATA_DIR is a folder that users share (${path}, mode ${mode}). Set it to a subfolder, such as ${path}/postern`,
    );
  }
  try {
    chmodSync(path, wanted);
  } catch (error) {
    const command = `chmod ${wanted.toString(8)} ${path}`;
    throw new Error(
      `other users can read ${path} (mode ${mode}), and Postern may not change that: run \`${command}\` as its owner` +
        (found.isDirectory() ? ', or set DATA_DIR to a folder that Postern makes itself' : ''),
      { cause: error },
    );
  }
  onTightened(path, mode);
}
