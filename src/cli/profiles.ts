import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './print.ts';

/** The address of a gateway, and credentials for it. */
export interface Profile {
  url: string;
  apiKey: string;
  authToken: string | null;
  encryptionCode: string | null;
}

export interface Profiles {
  /** The name of the profile that commands use by default. */
  current: string | null;
  profiles: Record<string, Profile>;
}

/** Returns the path of the file with the profiles, in the configuration folder of the user. */
export function profilesPath(): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'postern', 'profiles.json');
}

/** Throws `CliError` if other users of the machine may read the file, or if it is damaged. */
export function readProfiles(): Profiles {
  const path = profilesPath();
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return { current: null, profiles: {} };
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CliError(`${path} contains secrets, and other users may read it: run chmod 600 '${path}'`);
  }
  try {
    const { current, profiles } = JSON.parse(readFileSync(path, 'utf8')) as Profiles;
    return { current, profiles: Object.assign(Object.create(null), profiles) };
  } catch {
    throw new CliError(`${path} is not valid JSON: delete it, and add the profiles again`);
  }
}

/** Replaces the file atomically. Only its owner may read it. */
export function writeProfiles(profiles: Profiles): void {
  const path = profilesPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  // `wx` refuses a file or a link that exists, which could have other permissions.
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/** Returns the profile of this name. Throws `CliError` if there is none. */
export function findProfile({ profiles }: Profiles, name: string): Profile {
  const profile = profiles[name];
  if (profile) return profile;
  const names = Object.keys(profiles);
  const known = names.length === 0 ? '`postern profile add` adds one' : `there are ${names.join(', ')}`;
  throw new CliError(`there is no profile ${name}: ${known}`);
}
