import { readdirSync, readlinkSync } from 'node:fs';

/** Returns the files that this process has open and whose path begins like this, including deleted ones. */
export function openFiles(beginning: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(beginning) ? [path] : [];
    } catch {
      return [];
    }
  });
}
