import { hkdfSync } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../runtime/runtime.ts';
import { Secret } from './secret.ts';
import { weaknessOf } from './weak-key.ts';

const fileName = 'secret.key';

export const secretKeyPath = (dataDir: string): string => join(dataDir, fileName);

/** The key in DATA_DIR; `null` if there is no file. Throws if the file does not hold a key, or a weak one. */
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
      `${fileName} in DATA_DIR does not hold 32 bytes in base64: restore it from a backup. If there is none, remove the ` +
        'file; the next start says how to begin with a new key',
    );
  }
  const weakness = weaknessOf(key);
  if (weakness !== null) {
    throw new Error(
      `${fileName} in DATA_DIR holds a weak key: ${weakness}. Set SECRET_KEY to a new key and, after a comma, this one: ` +
        `SECRET_KEY="$(openssl rand -base64 32),$(cat ${path})". Keep the new key: what is sealed from then on needs it`,
    );
  }
  return new Secret(key);
}

/** Makes the file (mode 0600) unless it is there. It appears whole or not at all; processes that start at once agree on one. */
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

/** A key for one purpose alone (HKDF-SHA-256, RFC 5869), so that none serves two. */
export function deriveKey(key: Secret<Buffer>, purpose: string): Secret<Buffer> {
  return new Secret(Buffer.from(hkdfSync('sha256', key.expose(), Buffer.alloc(0), `postern ${purpose}`, 32)));
}
