import { createChat } from '@xdevplatform/chat-xdk';
import { expect, test } from 'vitest';
import { importChatKeys, registrationOf } from '../../../src/messaging/encryption/index.ts';
import type { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import { type Account, openSandbox } from '../../sandbox/harness.ts';
import { RealmClient } from '../../sandbox/realm-client.ts';
import { KeyRecoveryFixture } from './fixture.ts';

const sandbox = await openSandbox();
const fixture = new KeyRecoveryFixture(sandbox);
const realms = new RealmClient(() => sandbox.url);
const code = '739104';

const tokens = new Map<string, string>();
const configOf = async (account: Account) => {
  const config = await realms.configOf(account);
  for (const { key, value } of config.token_map) tokens.set(key, value.token);
  return JSON.stringify(config);
};
// X's own client. Its Juicebox SDK can be loaded once in a process.
const juiceboxConfig = await configOf(sandbox.ada);
const chat = await createChat({ juiceboxConfig, getAuthToken: async (realm) => tokens.get(realm) ?? '' });

function publicKeyOf(keys: RecoveredKeys): string {
  const imported = importChatKeys(keys.privateKeys());
  return imported ? registrationOf(imported).publicKey : '';
}

test("Postern recovers the keys that X's client has stored, and counts wrong codes together with it", async () => {
  const account = await sandbox.mint({ chatKeys: false });
  chat.updateConfig(await configOf(account));
  chat.generateKeypairs();
  await chat.setup(code);
  const outcome = await fixture.outcome(fixture.keys(), account, '850217');
  expect(outcome).toBe('403 Wrong encryption_code: 19 guesses remaining');
  await expect(chat.unlock('850217')).rejects.toThrow(/18/);
  const recovered = await fixture.recover(fixture.keys(), account, code);
  expect(chat.matchesRegisteredKey(publicKeyOf(recovered))).toBe(true);
});

test("X's client recovers the keys that Postern has stored, and those of the seed", async () => {
  const account = await sandbox.mint({ chatKeys: false });
  const stored = await fixture.enroll(fixture.keys(), account, code);
  const seeded = await fixture.recover(fixture.keys(), sandbox.ada);
  for (const [who, with_, keys] of [
    [account, code, stored],
    [sandbox.ada, sandbox.ada.encryptionCode, seeded],
  ] as const) {
    chat.updateConfig(await configOf(who));
    await chat.unlock(with_);
    expect(chat.matchesRegisteredKey(publicKeyOf(keys))).toBe(true);
  }
});
