import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** The folder of stores: in memory if there is room, because commits of all workers would wait for the same disk. */
export const storeParent = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 1024 ** 3;
}

/**
 * Creates a folder that is deleted with the end of the test, or when `onEnd` says. `parent` must be a disk for programs, because those in
 * `/dev/shm` may be forbidden.
 */
export function temporaryFolder(onEnd: (remove: () => void) => unknown = atEnd, parent = storeParent): string {
  const folder = mkdtempSync(join(parent, 'postern-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
