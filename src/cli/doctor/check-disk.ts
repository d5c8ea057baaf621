import { constants } from 'node:fs';
import { access, readFile, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../shared/config/config.ts';
import { weaknessOf } from '../../shared/secrets/weak-key.ts';
import { type Finding, fail, passed, reasonOf, warn } from './finding.ts';

const leastFreeBytes = 100e6;

/** Checks DATA_DIR, or the folder in which the first start would create it. Writes nothing. */
export async function checkDisk({ dataDir }: Config): Promise<readonly Finding[]> {
  const place = await nearest(dataDir);
  const isThere = place.path === dataDir;
  const todo = 'give it to the user that runs Postern (chown), or set DATA_DIR to a folder of that user';
  if (!place.isFolder) return [fail('disk', `${place.path} is not a folder`, 'set DATA_DIR to a folder')];
  try {
    const { R_OK, W_OK, X_OK } = constants;
    await access(place.path, isThere ? R_OK | W_OK | X_OK : W_OK | X_OK);
  } catch (error) {
    const what = isThere ? dataDir : `${dataDir} is not there, and ${place.path}`;
    return [
      fail('disk', `${what} cannot be written (${(error as NodeJS.ErrnoException).code ?? reasonOf(error)})`, todo),
    ];
  }
  const { bavail, bsize } = await statfs(place.path);
  const free = bavail * bsize;
  const findings: Finding[] = [];
  if (isThere && (place.mode & 0o077) !== 0) {
    const mode = (place.mode & 0o777).toString(8).padStart(4, '0');
    findings.push(warn('disk', `others may look into ${dataDir} (mode ${mode})`, `chmod 700 ${dataDir}`));
  }
  if (free < leastFreeBytes) {
    findings.push(
      warn('disk', `only ${size(free)} free at ${place.path}`, 'make room: a full disk refuses every call'),
    );
  }
  if (findings.length > 0) return findings;
  const state = isThere ? 'mode 0700, can be written' : 'not there yet: made at first start';
  return [passed('disk', `${dataDir}, ${state}, ${size(free)} free`)];
}

/** Returns the path, or its nearest parent that exists. */
async function nearest(path: string): Promise<{ path: string; isFolder: boolean; mode: number }> {
  try {
    const found = await stat(path);
    return { path, isFolder: found.isDirectory(), mode: found.mode };
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
    return nearest(dirname(path));
  }
}

/** Checks SECRET_KEY, or the key file that is used without it. The key itself is never shown. */
export async function checkSecretKey({ dataDir, secrets: { secretKeys } }: Config): Promise<readonly Finding[]> {
  if (secretKeys !== null) {
    const count = secretKeys.length === 1 ? 'one key' : `${secretKeys.length} keys, the first encrypts`;
    return [passed('secret_key', `SECRET_KEY of the environment: ${count}`)];
  }
  const path = join(dataDir, 'secret.key');
  const text = await readIfThere(path);
  if (text === null) return [passed('secret_key', `${path} is made at first start`)];
  if (!isKey(text.trim())) {
    const todo =
      'restore it from a backup; if there is none, remove it, and the next start explains how to begin with a new key';
    return [fail('secret_key', `${path} does not contain 32 bytes in base64`, todo)];
  }
  const weakness = weaknessOf(Buffer.from(text, 'base64'));
  if (weakness !== null) {
    const todo = 'set SECRET_KEY to a new key (`openssl rand -base64 32`) and, after a comma, this one';
    return [fail('secret_key', `${path} contains a weak key: ${weakness}`, todo)];
  }
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    return [fail('secret_key', `others may read ${path} (mode ${shown})`, `chmod 600 ${path}`)];
  }
  return [passed('secret_key', `${path}, mode 0600`)];
}

/** The text is validated, because Node ignores characters that are not base64, so a damaged key would be read as another key. */
function isKey(text: string): boolean {
  const key = Buffer.from(text, 'base64');
  return key.length === 32 && key.toString('base64').replace('=', '') === text.replace(/=$/, '');
}

export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / 1e6)} MB`;
}
