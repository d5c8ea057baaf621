import { expect, test } from 'vitest';
import { InvalidResponseError } from '../../../src/platform/http/wire.ts';
import { readBackupConfig } from '../../../src/platform/juicebox/config.ts';

const rules = { platform: new URL('https://api.x.com'), allowsFastHashing: false };
const realm = (number: number) => ({ id: `${number}${number}`.repeat(16), address: `https://realm-${number}.x.com/` });
const realms = [realm(1), { ...realm(2), public_key: 'AB'.repeat(32) }, realm(3)];
const sdk = { realms, register_threshold: 3, recover_threshold: 2, pin_hashing_mode: 'Standard2019' };
const tokens = realms.map(({ id }) => ({ key: id.toUpperCase(), value: { token: `token ${id[0]}` } }));
const config = (changed: object = {}, outer: object = {}): object => ({
  key_store_token_map_json: JSON.stringify({ ...sdk, ...changed }),
  token_map: tokens,
  ...outer,
});
const withRealm = (changed: object) => config({ realms: [{ ...realm(1), ...changed }, realm(2), realm(3)] });

test('readBackupConfig: reads realms, tokens, thresholds and guesses', () => {
  const { realms: read, ...others } = readBackupConfig(config(), rules);
  expect(others).toEqual({ registerThreshold: 3, recoverThreshold: 2, pinHashing: 'Standard2019', guesses: 20 });
  expect(read).toEqual(
    realms.map(({ id, address }, index) => ({
      id,
      address: new URL(address),
      publicKey: index === 1 ? 'ab'.repeat(32) : null,
      token: `token ${index + 1}`,
    })),
  );
  expect(readBackupConfig(config({}, { max_guess_count: 5 }), rules).guesses).toBe(5);
});

test.each<readonly [string, object]>([
  ['no JSON', config({}, { key_store_token_map_json: '{' })],
  ['two realms', config({ realms: realms.slice(1) })],
  ['a realm twice', withRealm(realm(2))],
  ['two realms at one address', withRealm({ address: realm(2).address })],
  ['a realm without a token', config({}, { token_map: tokens.slice(1) })],
  ['a short id', withRealm({ id: '11' })],
  ['a short public key', withRealm({ public_key: 'ab' })],
  ['a recover threshold below a majority', config({ recover_threshold: 1 })],
  ['a recover threshold above the number of realms', config({ recover_threshold: 4 })],
  ['a register threshold below the recover threshold', config({ recover_threshold: 3, register_threshold: 2 })],
  ['a fast PIN hash', config({ pin_hashing_mode: 'FastInsecure' })],
  ['no guesses', config({}, { max_guess_count: 0 })],
  ['more guesses than 16 bits', config({}, { max_guess_count: 65_536 })],
  ...[
    'http://realm-1.x.com/',
    'http://127.0.0.1/',
    'https://realm-1.x.com.example/',
    'https://notx.com/',
    'https://user@realm-1.x.com/',
    'https://realm-1.x.com/?a',
    'https://realm-1.x.com/#a',
    'https://realm-1.x.com/req',
  ].map((address) => [address, withRealm({ address })] as [string, object]),
])('readBackupConfig: refuses %s', (_what, value) => {
  expect(() => readBackupConfig(value, rules)).toThrow(InvalidResponseError);
});

test('readBackupConfig: accepts realms on loopback and a fast PIN hash for a platform on loopback in tests', () => {
  const own = { platform: new URL('http://127.0.0.1:1'), allowsFastHashing: true };
  const local = config({
    realms: realms.map((each, index) => ({ ...each, address: `http://localhost:${index}/` })),
    pin_hashing_mode: 'FastInsecure',
  });
  expect(readBackupConfig(local, own).pinHashing).toBe('FastInsecure');
});
