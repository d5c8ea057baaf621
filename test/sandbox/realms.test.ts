import { randomBytes } from 'node:crypto';
import { encode } from 'cborg';
import { describe, expect, test } from 'vitest';
import { RealmTokens } from '../../src/sandbox/realms/tokens.ts';
import { chatPrivateKeysFor } from '../../src/sandbox/seed/credentials.ts';
import { type Account, openSandbox } from './harness.ts';
import { RealmClient } from './realm-client.ts';

const sandbox = await openSandbox();
const realms = new RealmClient(() => sandbox.url);

const secret = randomBytes(64);
const enrolled = async (code = '482913') => {
  const account = await sandbox.mint({ chatKeys: false });
  await realms.enroll(account, code, secret);
  return account;
};
const guesses = (account: Account, count: number, place = 1) =>
  Promise.all(Array.from({ length: count }, () => realms.guess(place, account)));
const versionOf = async (account: Account, place = 1) => {
  const { Recover1: first } = (await realms.call(place, account, 'Recover1')).body;
  return Buffer.from(first.Ok.version);
};

describe('a demo account', () => {
  test.each([
    [1, 2],
    [2, 3],
    [3, 1],
  ])('has its chat keys at realms %i and %i under the code that was printed', async (...pair) => {
    const found = await realms.recover(sandbox.ada, sandbox.ada.encryptionCode, pair);
    expect(found).toEqual(chatPrivateKeysFor('postern', 'ada'));
  });

  test('has the same version at all realms, whichever realm was called first', async () => {
    const [third, first, second] = await Promise.all([3, 1, 2].map((place) => versionOf(sandbox.grace, place)));
    expect([first, second]).toEqual([third, third]);
  });
});

describe('a minted account', () => {
  test('has its own chat keys under its own code', async () => {
    const [one, other] = [await sandbox.mint(), await sandbox.mint()];
    const keys = await realms.recover(one, one.encryptionCode);
    expect(keys).toHaveLength(64);
    expect(await realms.recover(other, other.encryptionCode)).not.toEqual(keys);
    expect(await realms.recover(one, other.encryptionCode)).toBe('InvalidPin');
  });

  test('has no chat keys until it enrolls if it was minted without them, and may enroll again', async () => {
    const account = await sandbox.mint({ chatKeys: false });
    expect(await realms.recover(account, '482913')).toBe('NotRegistered');
    await realms.enroll(account, '482913', secret);
    expect(await realms.recover(account, '482913', [1, 3])).toEqual(secret);
    await realms.enroll(account, '739104', secret);
    expect(await realms.recover(account, '482913', [1, 2])).toBe('InvalidPin');
    expect(await realms.recover(account, '739104', [1, 2])).toEqual(secret);
  });

  test('may delete its record, also that of the seed', async () => {
    const account = await sandbox.mint();
    for (const place of [1, 2, 3]) expect((await realms.call(place, account, 'Delete')).body).toEqual({ Delete: 'Ok' });
    expect(await realms.recover(account, account.encryptionCode)).toBe('NotRegistered');
  });
});

describe('twenty guesses', () => {
  test('are the limit of an account, also for concurrent callers, and one more destroys the record', async () => {
    const account = await enrolled();
    const outcomes = await guesses(account, 30);
    expect(outcomes.filter((outcome) => outcome.Ok)).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'NoGuesses')).toHaveLength(10);
    expect((await realms.call(1, account, 'Recover1')).body).toEqual({ Recover1: 'NoGuesses' });
    // The other realms count their own guesses.
    expect((await realms.guess(2, account)).Ok.guess_count).toBe(1);
    expect(await realms.recover(account, '482913', [2, 3])).toEqual(secret);
    await realms.enroll(account, '482913', secret);
    expect((await realms.guess(1, account)).Ok.guess_count).toBe(1);
  });

  test('are available again after the right code, which may be the twentieth', async () => {
    const account = await enrolled();
    await Promise.all([guesses(account, 19), guesses(account, 19, 2)]);
    expect(await realms.recover(account, '482913', [1, 2])).toEqual(secret);
    expect((await realms.guess(1, account)).Ok).toMatchObject({ guess_count: 1, num_guesses: 20 });
  });

  test('are not used by a wrong tag, which destroys the record if none remains', async () => {
    const account = await enrolled();
    const fields = { version: await versionOf(account), unlock_key_tag: randomBytes(16) };
    const tag = async () => (await realms.call(1, account, { Recover3: plain(fields) })).body.Recover3;
    expect(await tag()).toEqual({ BadUnlockKeyTag: { guesses_remaining: 20 } });
    await guesses(account, 20);
    expect(await tag()).toEqual({ BadUnlockKeyTag: { guesses_remaining: 0 } });
    expect(await tag()).toBe('NoGuesses');
  });
});

describe('a realm', () => {
  test.each([
    ['no CBOR', Buffer.from('ff', 'hex')],
    ['an unknown case', encode('Recover4')],
    ['two equal names', Buffer.from('a2685265636f76657231f6685265636f76657231f6', 'hex')],
    ['a case without its data', encode('Recover2')],
    [
      'a field of another length',
      encode({ Recover2: { version: new Uint8Array(15), oprf_blinded_input: new Uint8Array(32) } }),
    ],
  ])('refuses %s with 400', async (_what, bytes) => {
    expect((await realms.call(1, await enrolled(), bytes)).status).toBe(400);
  });

  test('refuses a blinded PIN that is no element of the group, or its identity, with 400', async () => {
    const account = await enrolled();
    for (const element of [new Uint8Array(32), new Uint8Array(32).fill(255)]) {
      const fields = plain({ version: await versionOf(account), oprf_blinded_input: element });
      expect((await realms.call(1, account, { Recover2: fields })).status).toBe(400);
    }
  });

  test('refuses another version', async () => {
    const account = await enrolled();
    const fields = plain({ version: randomBytes(16), oprf_blinded_input: randomBytes(32) });
    expect((await realms.call(1, account, { Recover2: fields })).body).toEqual({ Recover2: 'VersionMismatch' });
  });

  test('refuses old clients with 426, large bodies with 413, and unknown realms with 404', async () => {
    const version = (text: string) => realms.call(1, sandbox.ada, 'Recover1', { 'x-juicebox-version': text });
    const statuses = await Promise.all(
      ['0.1.9', '', 'x', '0.2.0', '1.0.0'].map(async (text) => (await version(text)).status),
    );
    expect(statuses).toEqual([426, 426, 426, 200, 200]);
    expect((await realms.call(1, sandbox.ada, randomBytes(2_049))).status).toBe(413);
    expect((await sandbox.call('GET', '/sandbox/realms/1/req', { unchecked: true })).status).toBe(405);
  });

  test('accepts tokens for itself only, and only while they are valid', async () => {
    const { realms: known } = await realms.config(sandbox.ada);
    const statusOf = async (token: string) =>
      (await realms.call(1, sandbox.ada, 'Recover1', { authorization: `Bearer ${token}` })).status;
    const [own = '', other = ''] = known.map(({ token }) => token);
    const forged = new RealmTokens(randomBytes(32)).make(
      { realmId: known[0]?.id ?? '', userId: sandbox.ada.userId },
      Date.now(),
    );
    const tokens = [own, other, forged, `${own}x`, own.split('.').slice(0, 2).join('.'), sandbox.ada.authToken];
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 401, 401, 401, 401, 401]);
    const signer = new RealmTokens(randomBytes(32));
    const token = signer.make({ realmId: 'r', userId: 'u' }, 1_000_000);
    const readAt = (seconds: number) => signer.read(token, 'r', 1_000_000 + seconds * 1_000);
    expect([-6, -4, 604, 606].map(readAt)).toEqual([undefined, 'u', 'u', undefined]);
  });

  test('fails independently of the others', async () => {
    await sandbox.fault({ kind: 'status', status: 500 }, { path_prefix: '/sandbox/realms/1/', times: 1 });
    const replies = await Promise.all([1, 2, 3].map((place) => realms.call(place, sandbox.ada, 'Recover1')));
    expect(replies.map(({ status }) => status)).toEqual([500, 200, 200]);
  });
});

test('a reset deletes registrations and guesses', async () => {
  const own = await openSandbox();
  const client = new RealmClient(() => own.url);
  await client.guess(1, own.ada);
  await own.control('reset');
  expect((await client.guess(1, own.ada)).Ok.guess_count).toBe(1);
});

/** The encoder does not take the `Buffer`s of Node. */
const plain = (fields: Record<string, Uint8Array>) =>
  Object.fromEntries(Object.entries(fields).map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
