import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** The parent folder of stores. It is in memory if there is room, because the commits of all workers would wait for one disk. */
export const storeParent = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 1024 ** 3;
}

/**
 * Creates a folder that is deleted at the end of the test, or when `onEnd` calls its argument. Folders with programs need another `parent`,
 * because a system may forbid programs in `/dev/shm`.
 */
export function temporaryFolder(onEnd: (remove: () => void) => unknown = atEnd, parent = storeParent): string {
  const folder = mkdtempSync(join(parent, 'postern-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
