import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** Creates a folder that is deleted with the end of the test, or when `onEnd` says. */
export function temporaryFolder(onEnd: (remove: () => void) => unknown = atEnd): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-'));
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
