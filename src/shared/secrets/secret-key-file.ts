import { hkdfSync } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../runtime/runtime.ts';
import { Secret } from './secret.ts';
import { weaknessOf } from './weak-key.ts';

const fileName = 'secret.key';

export const secretKeyPath = (dataDir: string): string => join(dataDir, fileName);

/**
 * Removes the access of other users to the key file. Returns the previous mode, such as `0644`, or `null` if the mode was
 * not changed. Ignores a symbolic link, because Postern did not create its target. Throws if another user owns the file.
 */
export function hideSecretKeyFile(dataDir: string): string | null {
  const path = secretKeyPath(dataDir);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (process.platform === 'win32' || !found?.isFile() || (found.mode & 0o077) === 0) return null;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  try {
    chmodSync(path, 0o600);
  } catch (cause) {
    const problem = `other users can read ${path} (mode ${mode}), and Postern may not change that`;
    throw new Error(`${problem}: run \`chmod 600 ${path}\` as its owner`, { cause });
  }
  return mode;
}

/** Returns the secret key in DATA_DIR. Returns `null` if the file does not exist. Throws if the file contains no key or a weak key. */
export function readSecretKeyFile(dataDir: string): Secret<Buffer> | null {
  const path = secretKeyPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) {
    throw new Error(
      `${fileName} in DATA_DIR does not contain 32 bytes in base64. Restore it from a backup. If there is none, remove the ` +
        'file; the next start explains how to begin with a new key',
    );
  }
  const weakness = weaknessOf(key);
  if (weakness !== null) {
    throw new Error(
      `${fileName} in DATA_DIR contains a weak key: ${weakness}. Set SECRET_KEY to a new key and, after a comma, this one: ` +
        `SECRET_KEY="$(openssl rand -base64 32),$(cat ${path})". Keep the new key, because later data is encrypted with it`,
    );
  }
  return new Secret(key);
}

/**
 * Creates the key file (mode 0600) if it does not exist. The file is created atomically, and processes that start at the same time use the
 * same key.
 */
export function makeSecretKeyFile(dataDir: string, runtime: Runtime): Secret<Buffer> {
  const path = secretKeyPath(dataDir);
  const draft = `${path}.${runtime.randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${runtime.randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  const key = readSecretKeyFile(dataDir);
  if (key === null) throw new Error(`${path} was removed while Postern started: start it again`);
  return key;
}

/** Derives a key for one purpose (HKDF-SHA-256, RFC 5869), so that no key is used for two purposes. */
export function derivePurposeKey(key: Secret<Buffer>, purpose: string): Secret<Buffer> {
  return new Secret(Buffer.from(hkdfSync('sha256', key.expose(), Buffer.alloc(0), `postern ${purpose}`, 32)));
}
