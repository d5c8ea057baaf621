import { isLoopbackHost } from '../../shared/model/loopback.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import { InvalidResponseError, list, object, optional, text, type Wire } from '../http/wire.ts';

const pinHashings = ['Standard2019', 'FastInsecure'];
const usualGuesses = 20;
const maxRealms = 15;

/** The domain of X's own key realms. */
const trustedDomain = '.x.com';

export interface BackupRealm {
  /** 32 hex digits. */
  readonly id: string;
  /** The URL that ends in a slash, to which requests are sent. */
  readonly address: URL;
  /** Present if requests are encrypted for the realm (Noise), so that only the SDK can read them. */
  readonly publicKey: string | null;
  readonly token: string;
}

/** A checked `juicebox_config`. */
export interface BackupConfig {
  readonly realms: readonly BackupRealm[];
  readonly registerThreshold: number;
  readonly recoverThreshold: number;
  readonly pinHashing: string;
  readonly guesses: number;
}

export interface ConfigRules {
  /** The platform, whose own key realms are trusted. */
  readonly platform: URL;
  /** True only for tests, because a PIN with a fast hash protects nothing. */
  readonly allowsFastHashing: boolean;
}

/**
 * Reads X's `juicebox_config`. Throws `InvalidResponseError` for anything that would weaken the protection of the PIN.
 */
export function readBackupConfig(value: unknown, rules: ConfigRules): BackupConfig {
  const given = object(value, 'juicebox_config');
  const sdk = parse(text(given.key_store_token_map_json, 'key_store_token_map_json', 16_384));
  const tokens = new Map(list(given.token_map, 'token_map', maxRealms).map(readToken));
  const realms = list(sdk.realms, 'realms', maxRealms).map((each) => {
    const realm = object(each, 'realms[]');
    const id = hex(realm.id, 'realms[].id', 32);
    const address = readAddress(realm.address, rules);
    const publicKey = optional(hexKey, realm.public_key, 'realms[].public_key', null);
    return { id, address, publicKey, token: text(tokens.get(id), 'token_map[].value.token') };
  });
  for (const values of [realms.map(({ id }) => id), realms.map(({ address }) => address.href)])
    if (new Set(values).size < values.length) throw new InvalidResponseError('realms are not unique');
  if (realms.length < 3) throw new InvalidResponseError('realms are fewer than three');
  const pinHashing = text(sdk.pin_hashing_mode, 'pin_hashing_mode');
  if (!pinHashings.slice(0, rules.allowsFastHashing ? 2 : 1).includes(pinHashing))
    throw new InvalidResponseError('pin_hashing_mode is not allowed');
  const majority = Math.floor(realms.length / 2) + 1;
  const recoverThreshold = within(sdk.recover_threshold, 'recover_threshold', majority, realms.length);
  const registerThreshold = within(sdk.register_threshold, 'register_threshold', recoverThreshold, realms.length);
  const guesses = within(given.max_guess_count ?? usualGuesses, 'max_guess_count', 1, 65_535);
  return { realms, registerThreshold, recoverThreshold, pinHashing, guesses };
}

function parse(json: string): Wire {
  try {
    return object(JSON.parse(json), 'key_store_token_map_json');
  } catch {
    throw new InvalidResponseError('key_store_token_map_json is not a JSON object');
  }
}

function readToken(value: unknown): [id: string, token: unknown] {
  const { key, value: of } = object(value, 'token_map[]');
  return [hex(key, 'token_map[].key', 32), object(of, 'token_map[].value').token];
}

function readAddress(value: unknown, { platform }: ConfigRules): URL {
  const address = parseUrl(text(value, 'realms[].address'));
  const isTrusted =
    address?.protocol === 'https:'
      ? address.hostname.endsWith(trustedDomain)
      : address?.protocol === 'http:' && [address, platform].every(({ hostname }) => isLoopbackHost(hostname));
  if (!address || !isTrusted || address.username || address.search || address.hash || !address.pathname.endsWith('/'))
    throw new InvalidResponseError('realms[].address is not the URL of a trusted key realm');
  return address;
}

function hex(value: unknown, field: string, digits: number): string {
  const written = text(value, field).toLowerCase();
  if (written.length === digits && /^[0-9a-f]+$/.test(written)) return written;
  throw new InvalidResponseError(`${field} is not ${digits} hex digits`);
}

function hexKey(value: unknown, field: string): string {
  return hex(value, field, 64);
}

function within(value: unknown, field: string, least: number, greatest: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= greatest) return value;
  throw new InvalidResponseError(`${field} is not a number from ${least} to ${greatest}`);
}
