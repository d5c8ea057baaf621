import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Creates a folder that is deleted after all tests of the file, or when `onEnd` says. */
export function temporaryFolder(onEnd: (remove: () => void) => unknown = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
