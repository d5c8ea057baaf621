import type { Config } from '../shared/config/config.ts';
import { type Fault, OperatorError } from '../shared/errors/operator-error.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { tightenMode } from '../shared/secrets/private-path.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { makeSecretKeyFile, readSecretKeyFile, secretKeyPath } from '../shared/secrets/secret-key-file.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { SecretCheckStore } from '../store/port.ts';

const record = 'secret key check';
const content = 'postern';
/** Keys of earlier rotations that the check value lists. */
const mostSeals = 8;

const howToReset =
  'If the key is lost, stop every process and run `npx postern secret-key reset`, which deletes what was encrypted with it ' +
  '(webhooks with their credentials and events, and responses kept for Idempotency-Keys). Accounts, API keys and credit stay';

export interface SecretKeyParts {
  check: SecretCheckStore;
  runtime: Runtime;
  logger: Logger;
}

/**
 * Returns the keys of SECRET_KEY or of DATA_DIR after a check that they decrypt the data of the store. If they do not, throws an
 * error with advice. A key file is made only for a store without encrypted data.
 */
export async function openSecretKeys(config: Config, parts: SecretKeyParts): Promise<readonly Secret<Buffer>[]> {
  const { check, runtime, logger } = parts;
  const { dataDir, secrets } = config;
  tightenMode(secretKeyPath(dataDir), 0o600, (path, mode) =>
    logger.warn({ path, mode }, 'other users could read the secret key; its mode is 0600 now'),
  );
  const configured = await readKeys(config, check);
  if (configured === 'lost') throw new OperatorError(lostKey(dataDir));
  const keys = configured ?? [makeSecretKeyFile(dataDir, runtime)];
  if (!(await proveKeys(keys, parts))) throw new OperatorError(wrongKey(secrets.secretKeys !== null));
  return keys;
}

/** Returns why a service could not start with the configured keys, or `null`. Changes nothing. */
export async function secretKeyFault(config: Config, check: SecretCheckStore, runtime: Runtime): Promise<Fault | null> {
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
 * Returns `null` if there is no key and one can be made, and `lost` if the key file is missing although the store holds data
 * encrypted with it.
 */
async function readKeys({ dataDir, secrets }: Config, check: SecretCheckStore) {
  if (secrets.secretKeys) return secrets.secretKeys;
  const key = readSecretKeyFile(dataDir);
  if (key) return [key];
  if ((await check.read()) === null && (await check.samples()).length === 0) return null;
  // A process that started at the same time makes the file before it writes the check value.
  const made = readSecretKeyFile(dataDir);
  return made ? [made] : 'lost';
}

/**
 * Returns false if none of the keys opens the check value, which is written if there is none. The value has one sealed text for each
 * key of the process that wrote it, the sealing key's first. During a rotation (`old`, then `new,old`, then `new`) processes
 * with any of these settings can start, until one starts with `new` alone; from then on `old` alone is refused.
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
  // Another process may replace the check value meanwhile. Each attempt starts from the value that is stored by then.
  for (let turn = 0; turn < 10; turn++) {
    const seals: readonly string[] = stored.split(' ');
    const openedBy = seals.map((text) => vaults.findIndex((vault) => opens(vault, text)));
    if (openedBy.every((index) => index === -1)) return false;
    const sealsFirst = openedBy[0] === 0;
    const isCurrent = sealsFirst ? seals.length === keys.length && !openedBy.includes(-1) : openedBy.includes(0);
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

/** Checks a store without a check value. Returns true if it has no sealed text, or one that was sealed with these keys. */
async function opensSamples(vault: Vault, check: SecretCheckStore): Promise<boolean> {
  const samples = await check.samples();
  return samples.length === 0 || samples.some((text) => vault.knows(text));
}

/** A text that was altered cannot be opened either. */
function opens(vault: Vault, text: string): boolean {
  try {
    return vault.open(text, record) === content;
  } catch {
    return false;
  }
}

function lostKey(dataDir: string): Fault {
  return {
    detail: `secret.key is missing from DATA_DIR (${dataDir}), and the store holds data that was encrypted with it`,
    advice: `restore the file from the backup, or set SECRET_KEY to its content. ${howToReset}`,
  };
}

function wrongKey(isSet: boolean): Fault {
  const where = isSet ? 'SECRET_KEY' : 'secret.key in DATA_DIR';
  return {
    detail: `${where} cannot decrypt what the store holds, which was encrypted with another key`,
    advice:
      'set SECRET_KEY to the earlier key, or restore secret.key in DATA_DIR from the backup. To change keys give both: ' +
      `SECRET_KEY=<new>,<earlier>. ${howToReset}`,
  };
}
