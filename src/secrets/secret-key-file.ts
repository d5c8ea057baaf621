import { hkdfSync } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../runtime/runtime.ts';
import { Secret } from './secret.ts';

const fileName = 'secret.key';

/** The key in DATA_DIR, made on first use (mode 0600). Processes that start at once agree on one. */
export function readOrMakeSecretKey(dataDir: string, runtime: Runtime): Secret<Buffer> {
  const path = join(dataDir, fileName);
  if (!existsSync(path)) makeKeyFile(path, runtime);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32) {
    throw new Error(
      `${fileName} in DATA_DIR does not hold 32 bytes in base64: restore it from a backup, or remove it to have a new one made (what it sealed is lost then)`,
    );
  }
  return new Secret(key);
}

/** The file appears whole or not at all, and never in place of another. */
function makeKeyFile(path: string, runtime: Runtime): void {
  const draft = `${path}.${runtime.randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${runtime.randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/** A key for one purpose alone (HKDF-SHA-256, RFC 5869), so that none serves two. */
export function deriveKey(key: Secret<Buffer>, purpose: string): Secret<Buffer> {
  return new Secret(Buffer.from(hkdfSync('sha256', key.expose(), Buffer.alloc(0), `postern ${purpose}`, 32)));
}
