import { commandName } from '../shared/config/command-name.ts';
import type { Config } from '../shared/config/config.ts';
import { OperatorError, type OperatorProblem } from '../shared/errors/operator-error.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import {
  hideSecretKeyFile,
  makeSecretKeyFile,
  readSecretKeyFile,
  secretKeyPath,
} from '../shared/secrets/secret-key-file.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { SecretCheckStore } from '../store/port.ts';

const record = 'secret key check';
const content = 'postern';
/** The maximum number of encrypted texts in the check value: one for the current key, and one for each key of earlier rotations. */
const mostSeals = 8;

const howToReset =
  `If the key is lost, stop every process and run \`${commandName} secret-key reset\`, which deletes all data that was encrypted with ` +
  'it (webhooks with their credentials and events, responses stored for Idempotency-Keys, and logins at the platform). Accounts, API keys and credit stay';

/** The check value of a store or of a backup. */
export type StoredCheck = Pick<SecretCheckStore, 'read' | 'samples'>;

export interface SecretKeyParts {
  check: SecretCheckStore;
  runtime: Runtime;
  logger: Logger;
}

/**
 * Returns the keys of SECRET_KEY or of DATA_DIR after checking that they decrypt the data of the store. Throws an error with advice if they
 * do not. A key file is created only if the store has no encrypted data.
 */
export async function openSecretKeys(config: Config, parts: SecretKeyParts): Promise<readonly Secret<Buffer>[]> {
  const { check, runtime, logger } = parts;
  const { dataDir, secrets } = config;
  const configured = await readKeys(config, check);
  if (configured === 'lost') throw new OperatorError(lostKey(dataDir));
  // A file that contains no key, or is not used, may belong to another program.
  const mode = secrets.secretKeys === null ? hideSecretKeyFile(dataDir) : null;
  if (mode !== null) {
    logger.warn({ path: secretKeyPath(dataDir), mode }, 'other users could read the secret key; its mode is 0600 now');
  }
  const keys = configured ?? [makeSecretKeyFile(dataDir, runtime)];
  if (!(await proveKeys(keys, parts))) throw new OperatorError(wrongKey(secrets.secretKeys !== null));
  return keys;
}

/** Returns the keys with which a command reads the data of the store. Creates no key and changes nothing. Throws an error with advice. */
export async function findSecretKeys(
  config: Config,
  check: StoredCheck,
  runtime: Runtime,
): Promise<readonly Secret<Buffer>[]> {
  const problem = await secretKeyProblem(config, check, runtime);
  if (problem !== null) throw new OperatorError(problem);
  const keys = await readKeys(config, check);
  return keys === null || keys === 'lost' ? [] : keys;
}

/** Returns true if a process has started with the first of these keys. Others may still have an older key alone. */
export async function isIntroduced(
  keys: readonly Secret<Buffer>[],
  check: StoredCheck,
  runtime: Runtime,
): Promise<boolean> {
  const first = new Vault(keys.slice(0, 1), runtime);
  return ((await check.read()) ?? '').split(' ').some((text) => opens(first, text));
}

/** Returns the reason why a service could not start with the configured keys, or `null` if it could. Changes nothing. */
export async function secretKeyProblem(
  config: Config,
  check: StoredCheck,
  runtime: Runtime,
): Promise<OperatorProblem | null> {
  const keys = await readKeys(config, check);
  if (keys === null) return null;
  if (keys === 'lost') return lostKey(config.dataDir);
  const vault = new Vault(keys, runtime);
  const stored = await check.read();
  const isRight =
    stored === null ? await opensSamples(vault, check) : stored.split(' ').some((text) => opens(vault, text));
  return isRight ? null : wrongKey(config.secrets.secretKeys !== null);
}

/**
 * Returns the configured keys. Returns `null` if there is no key and one may be created. Returns `lost` if the key file is missing although
 * the store has data encrypted with it.
 */
async function readKeys({ dataDir, secrets }: Config, check: StoredCheck) {
  if (secrets.secretKeys) return secrets.secretKeys;
  const key = readSecretKeyFile(dataDir);
  if (key) return [key];
  if ((await check.read()) === null && (await check.samples()).length === 0) return null;
  // Another process that started at the same time creates the key file before it writes the check value.
  const made = readSecretKeyFile(dataDir);
  return made ? [made] : 'lost';
}

/**
 * Returns false if none of the keys decrypts the check value. Writes the check value if there is none. The value contains one encrypted
 * text for each key of the process that wrote it, beginning with the key that encrypts. During a rotation (`old`, then `old,new`, then
 * `new,old`, then `new`) processes with any of these settings can start, until one starts with `new` alone. From then on, `old` alone is
 * refused. `old,new` does not add a text of the new key, because nothing is encrypted with it yet.
 */
async function proveKeys(
  keys: readonly Secret<Buffer>[],
  { check, runtime, logger }: SecretKeyParts,
): Promise<boolean> {
  const vaults = keys.map((key) => new Vault([key], runtime));
  const seal = (all: readonly Vault[]) => all.map((vault) => vault.seal(content, record));
  let stored = await check.read();
  if (stored === null) {
    if (!(await opensSamples(new Vault(keys, runtime), check))) return false;
    stored = await check.write(seal(vaults).join(' '), null);
  }
  // Another process may replace the check value at the same time, so each attempt uses the value that is stored by then.
  for (let turn = 0; turn < 10; turn++) {
    const seals: readonly string[] = stored.split(' ');
    const openedBy = seals.map((text) => vaults.findIndex((vault) => opens(vault, text)));
    if (openedBy.every((index) => index === -1)) return false;
    const sealsFirst = openedBy[0] === 0;
    const isCurrent = sealsFirst ? !openedBy.includes(-1) : openedBy.includes(0);
    if (isCurrent) {
      if (openedBy[0] === -1) logger.warn('SECRET_KEY lacks the newer key with which other processes encrypt: add it');
      return true;
    }
    const wanted = sealsFirst ? seal(vaults) : [...seal(vaults.slice(0, 1)), ...seals].slice(0, mostSeals);
    const value = wanted.join(' ');
    stored = await check.write(value, stored);
    if (stored === value) return true;
  }
  return true;
}

/** Checks a store without a check value. Returns true if it has no encrypted text, or if these keys decrypt one of its texts. */
async function opensSamples(vault: Vault, check: StoredCheck): Promise<boolean> {
  const samples = await check.samples();
  return samples.length === 0 || samples.some((text) => vault.knows(text));
}

/** Returns false for text of another key. A modified text cannot be decrypted either. */
function opens(vault: Vault, text: string): boolean {
  try {
    return vault.open(text, record) === content;
  } catch {
    return false;
  }
}

function lostKey(dataDir: string): OperatorProblem {
  return {
    detail: `secret.key is missing from DATA_DIR (${dataDir}), and the store holds data that was encrypted with it`,
    advice: `restore the file from the backup, or set SECRET_KEY to its content. ${howToReset}`,
  };
}

function wrongKey(isSet: boolean): OperatorProblem {
  const where = isSet ? 'SECRET_KEY' : 'secret.key in DATA_DIR';
  return {
    detail: `${where} cannot decrypt what the store holds, which was encrypted with another key`,
    advice:
      'set SECRET_KEY to the earlier key, or restore secret.key in DATA_DIR from the backup. To change keys give both: ' +
      `SECRET_KEY=<new>,<earlier>. ${howToReset}`,
  };
}
