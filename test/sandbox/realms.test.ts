import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { chatPrivateKeysFor } from '../../src/sandbox/seed/credentials.ts';
import { type Account, fieldOf, openSandbox } from './harness.ts';
import { base64, RealmClient } from './realm-client.ts';

let clock = Date.UTC(2026, 0, 1);
const sandbox = await openSandbox({ now: () => clock });
const realms = new RealmClient(() => sandbox.url);

const privateKeys = randomBytes(64);
const newcomer = () => sandbox.mint({ chatKeys: false });
const enrolled = async (code = '482913') => {
  const account = await newcomer();
  return { account, version: await realms.enroll(account, code, privateKeys) };
};
const guesses = async (account: Account, version: string, count: number, realm = 1) => {
  const answers = await Promise.all(Array.from({ length: count }, () => realms.guess(realm, account, version)));
  return answers.map(({ outcome }) => outcome);
};
const wrongTag = (version: string) => ({ version, unlock_tag: base64(randomBytes(32)) });

describe('a demo account', () => {
  test.each([
    [1, 2],
    [2, 3],
    [3, 1],
  ])('has its chat keys at realms %i and %i under the code that was printed', async (one, other) => {
    expect(await realms.recover(sandbox.ada, sandbox.ada.encryptionCode, [one, other])).toEqual(
      chatPrivateKeysFor('postern', 'ada'),
    );
  });

  test('has the same version at all realms, whichever realm was called first', async () => {
    const states = await Promise.all([3, 1, 2].map((realm) => realms.state(realm, sandbox.grace)));
    expect(new Set(states.map(({ version }) => version)).size).toBe(1);
    expect(states[0]).toMatchObject({ state: 'enrolled', account_id: sandbox.grace.userId });
  });
});

describe('a minted account', () => {
  test('has its own chat keys under its own code', async () => {
    const [one, other] = [await sandbox.mint(), await sandbox.mint()];
    const keys = await realms.recover(one, one.encryptionCode);
    expect(keys).toHaveLength(64);
    expect(await realms.recover(other, other.encryptionCode)).not.toEqual(keys);
    expect(await realms.recover(one, other.encryptionCode)).toBeNull();
  });

  test('has no chat keys until it enrolls if it was minted without them', async () => {
    const account = await newcomer();
    expect(await realms.state(1, account)).toEqual({ state: 'none', account_id: account.userId, version: null });
    await realms.enroll(account, '482913', privateKeys, [1, 3]);
    expect((await realms.state(2, account)).state).toBe('none');
    expect(await realms.recover(account, '482913', [1, 3])).toEqual(privateKeys);
    const version = await realms.enroll(account, '739104', privateKeys);
    expect((await realms.state(1, account)).version).toBe(version);
    expect(await realms.recover(account, '482913', [1, 2])).toBeNull();
  });
});

describe('twenty guesses', () => {
  test('are the limit of an account, also for concurrent callers', async () => {
    const { account, version } = await enrolled();
    const outcomes = await guesses(account, version, 50);
    expect(outcomes.filter((outcome) => outcome === 'evaluated')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'locked')).toHaveLength(30);
    expect((await realms.state(1, account)).state).toBe('locked');
    // The other realms count their own guesses.
    expect((await realms.guess(2, account, version)).guesses_remaining).toBe(19);
    expect(await realms.recover(account, '482913', [2, 3])).toEqual(privateKeys);
  });

  test('are available again after the right code', async () => {
    const { account, version } = await enrolled();
    await guesses(account, version, 19);
    expect(await realms.recover(account, '482913')).toEqual(privateKeys);
    expect((await realms.guess(1, account, version)).guesses_remaining).toBe(19);
  });

  test('include the twentieth: the right code is accepted', async () => {
    const { account, version } = await enrolled();
    await Promise.all([guesses(account, version, 19, 1), guesses(account, version, 19, 2)]);
    expect(await realms.recover(account, '482913')).toEqual(privateKeys);
    expect((await realms.state(1, account)).state).toBe('enrolled');
  });

  test.each([
    ['with one more', (account: Account, version: string) => realms.guess(1, account, version)],
    [
      'with a wrong tag',
      (account: Account, version: string) => realms.call('POST', 1, 'unlock', account, wrongTag(version)),
    ],
    [
      'when it is asked for later',
      (account: Account) => {
        clock += 31_000;
        return realms.state(1, account);
      },
    ],
  ])('that are used up destroy the share %s', async (_how, use) => {
    const { account, version } = await enrolled();
    await guesses(account, version, 20);
    expect((await realms.state(1, account)).state).toBe('locked');
    await use(account, version);
    const unlock = await realms.call('POST', 1, 'unlock', account, wrongTag(version));
    expect(unlock.body).toEqual({ outcome: 'locked' });
  });

  test('are not used by a wrong tag, whose response has no other data', async () => {
    const { account, version } = await enrolled();
    const reply = await realms.call('POST', 1, 'unlock', account, wrongTag(version));
    expect(reply.body).toEqual({ outcome: 'refused' });
    expect((await realms.guess(1, account, version)).guesses_remaining).toBe(19);
  });
});

describe('a realm', () => {
  test('refuses requests that violate the contract', async () => {
    const { account, version } = await enrolled();
    const identity = base64(new Uint8Array(32));
    const bodies = [
      ['guesses', { version, blinded_element: identity }, 'blinded_element'],
      ['guesses', { version, blinded_element: 'AAAA' }, 'blinded_element'],
      ['guesses', { version: 'x', blinded_element: identity }, 'version'],
      ['unlock', { version, unlock_tag: '***' }, 'unlock_tag'],
      ['unlock', { version }, 'unlock_tag'],
    ] as const;
    for (const [step, body, field] of bodies) {
      const reply = await realms.call('POST', 1, step, account, body);
      expect([reply.status, fieldOf(reply)]).toEqual([400, field]);
    }
    expect((await realms.call('GET', 4, 'record', account)).status).toBe(404);
  });

  test('replaces its record only by one that names the current version', async () => {
    const { account, version } = await enrolled();
    const [thirtyTwo, sealed] = [base64(randomBytes(32)), base64(randomBytes(80))];
    const record = {
      version: 'ab'.repeat(16),
      oprf_key_share: thirtyTwo,
      commitment: thirtyTwo,
      unlock_tag: thirtyTwo,
      sealed_share: sealed,
      sealed_keys: sealed,
    };
    for (const more of [{}, { replaces: 'cd'.repeat(16) }]) {
      const { status, body } = await realms.call('PUT', 1, 'record', account, { ...record, ...more });
      expect([status, body.reason]).toEqual([409, 'has_chat_keys']);
    }
    expect((await realms.state(1, account)).version).toBe(version);
    for (let time = 0; time < 2; time++) {
      expect((await realms.call('PUT', 1, 'record', account, { ...record, replaces: version })).status).toBe(200);
    }
    expect((await realms.state(1, account)).version).toBe(record.version);
  });

  test('refuses another version as stale', async () => {
    const { account } = await enrolled();
    const other = 'ab'.repeat(16);
    expect(await realms.guess(1, account, other)).toEqual({ outcome: 'stale' });
    expect((await realms.call('POST', 1, 'unlock', account, wrongTag(other))).body).toEqual({ outcome: 'stale' });
  });

  test('fails independently of the others', async () => {
    const { account } = await enrolled();
    await sandbox.fault({ kind: 'status', status: 500 }, { path_prefix: '/sandbox/realms/1/', times: 1 });
    const replies = await Promise.all([1, 2, 3].map((realm) => realms.call('GET', realm, 'record', account)));
    expect(replies.map(({ status }) => status)).toEqual([500, 200, 200]);
  });

  test('requires a token', async () => {
    const reply = await sandbox.call('GET', '/sandbox/realms/1/record', {
      headers: { authorization: 'Bearer nobody' },
    });
    expect([reply.status, reply.body.reason]).toEqual([401, 'bad_token']);
  });
});

test('a reset deletes enrolments and guesses', async () => {
  const own = await openSandbox();
  const client = new RealmClient(() => own.url);
  const { version } = await client.state(1, own.ada);
  await client.guess(1, own.ada, version);
  await own.control('reset');
  expect((await client.state(1, own.ada)).version).toBe(version);
  expect((await client.guess(1, own.ada, version)).guesses_remaining).toBe(19);
});
