import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { KeySession } from '../../../src/messaging/key-recovery/chat-key-service.ts';
import { ForwardProxy } from '../../../src/outbound/proxy.ts';
import type { PlatformRealm } from '../../../src/platform/realms-port.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { openSandbox } from '../../sandbox/harness.ts';
import { isAll } from '../../support/repetitions.ts';
import { KeyRecoveryFixture, outcomeOf } from './fixture.ts';

const fixture = new KeyRecoveryFixture(await openSandbox());
afterEach(() => fixture.sandbox.control('faults/clear'));

const fault = (realm: number, kind: object, more: object = {}) =>
  fixture.sandbox.fault(kind, { path_prefix: `/sandbox/realms/${realm}/`, times: null, ...more });
const tooFew = '503 Too few key realms are reachable: two of three are needed';

describe('one realm', () => {
  test.each([
    [1, 'fails', { kind: 'status', status: 500 }],
    [2, 'breaks the connection', { kind: 'reset' }],
    [3, 'responds with HTML', { kind: 'nonsense' }],
    [1, 'responds with JSON of a wrong shape', { kind: 'wrong_shape' }],
    [2, 'responds late', { kind: 'latency', ms: 600_000 }],
    [1, 'never responds', { kind: 'hang' }],
  ])('%i that %s is not needed', async (realm, _how, kind) => {
    const { linus: account } = fixture.sandbox;
    await fault(realm, kind);
    expect(await fixture.outcome(fixture.keys(), account)).toBe('ok');
  });

  test.each([
    ['guessAtRealm', { kind: 'status', status: 500 }],
    ['guessAtRealm', { kind: 'hang' }],
    ['guessAtRealm', { kind: 'hang_after' }],
    ['guessAtRealm', { kind: 'reset_after' }],
    ['unlockAtRealm', { kind: 'status', status: 500 }],
    ['unlockAtRealm', { kind: 'reset_after' }],
  ])('that fails at a later step, %s with %o, is not needed', async (operation, kind) => {
    const { linus: account } = fixture.sandbox;
    await fault(1, kind, { operation });
    expect(await fixture.outcome(fixture.keys(), account)).toBe('ok');
  });

  test('that is unavailable costs no guess at the others after a right code', async () => {
    const account = await fixture.sandbox.mint();
    await fault(2, { kind: 'reset' });
    const keys = fixture.keys();
    expect(await fixture.outcome(keys, account)).toBe('ok');
    expect(await fixture.outcome(keys, account, '555123')).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });
});

describe('two unavailable realms', () => {
  test.each(['realmState', 'guessAtRealm', 'unlockAtRealm'])('at %s are refused with 503', async (operation) => {
    const { linus: account } = fixture.sandbox;
    await fault(1, { kind: 'status', status: 500 }, { operation });
    await fault(3, { kind: 'reset' }, { operation });
    expect(await fixture.outcome(fixture.keys(), account)).toBe(tooFew);
    await fixture.sandbox.control('faults/clear');
    expect(await fixture.outcome(fixture.keys(), account)).toBe('ok');
  });
});

test('an unavailable proxy is named in the error, and not the realms', async () => {
  const { linus } = fixture.sandbox;
  const session = fixture.session(linus, new ForwardProxy('127.0.0.1:1', 'http://127.0.0.1:1', null));
  const recovering = fixture.keys().recover(session, fixture.holder(linus), new Secret(linus.encryptionCode));
  expect(await outcomeOf(recovering)).toMatch(/^502 .*proxy.*127\.0\.0\.1:1/);
});

type Lie = (realm: PlatformRealm) => Partial<PlatformRealm>;

/** Returns a realm that works like the real one but returns a different response. */
function lying({ realms }: KeySession, place: number, lie: Lie): KeySession {
  const liar = (realm: PlatformRealm): PlatformRealm => ({
    place,
    state: () => realm.state(),
    guess: (version, element) => realm.guess(version, element),
    unlock: (version, tag) => realm.unlock(version, tag),
    register: (record, replaces) => realm.register(record, replaces),
    ...lie(realm),
  });
  return { realms: realms.map((realm) => (realm.place === place ? liar(realm) : realm)) };
}

describe('a realm with a wrong response', () => {
  /** Changes the response to a guess, and the response to an unlock. */
  const guessed =
    (changed: (element: Uint8Array) => object): Lie =>
    (realm) => ({
      guess: async (version, element) => ({ ...(await realm.guess(version, element)), ...changed(element) }),
    });
  const unlocked =
    (changed: object): Lie =>
    (realm) => ({ unlock: async (version, tag) => ({ ...(await realm.unlock(version, tag)), ...changed }) });
  const otherCommitment = guessed(() => ({ commitment: randomBytes(32) }));
  const lies: [string, Lie][] = [
    ['of a version', () => ({ state: async () => ({ kind: 'enrolled', accountId: '1', version: 'ab'.repeat(16) }) })],
    ['that there is nothing', () => ({ state: async () => ({ kind: 'none', accountId: '1' }) })],
    ['with another element', guessed((evaluated) => ({ evaluated }))],
    ['with no element', guessed(() => ({ evaluated: randomBytes(32) }))],
    ['with another commitment', otherCommitment],
    ['that no guesses remain', () => ({ guess: async () => ({ kind: 'locked' }) })],
    ['with another share', unlocked({ sealedShare: randomBytes(48) })],
    ['with other keys', unlocked({ sealedKeys: randomBytes(80) })],
  ];
  test.each((isAll ? [1, 2, 3] : [2]).flatMap((place) => lies.map(([what, lie]) => [place, what, lie] as const)))(
    '%i, %s, is detected and not needed',
    async (place, _what, lie) => {
      const { grace } = fixture.sandbox;
      const keys = fixture.keys();
      const session = lying(fixture.session(grace), place, lie);
      const recovered = await keys.recover(session, fixture.holder(grace), new Secret(grace.encryptionCode));
      expect(recovered.privateKeys()).toHaveLength(64);
    },
  );

  test('causes 503 and not 403 for a right code if only one other realm is available', async () => {
    const account = await fixture.sandbox.mint();
    await fault(3, { kind: 'reset' });
    const session = lying(fixture.session(account), 1, otherCommitment);
    const recovering = fixture.keys().recover(session, fixture.holder(account), new Secret(account.encryptionCode));
    expect(await outcomeOf(recovering)).toBe(tooFew);
  });
});

describe('enrolling', () => {
  const code = '739104';
  const fresh = () => fixture.sandbox.mint({ chatKeys: false });

  test('creates keys that can be recovered from any two realms, also by another gateway', async () => {
    const account = await fresh();
    const privateKeys = randomBytes(64);
    const keys = fixture.keys();
    const enrolled = await fixture.enroll(keys, account, code, privateKeys);
    expect(Buffer.from(enrolled.privateKeys())).toEqual(privateKeys);
    expect(await fixture.recover(keys, account, code)).toBe(enrolled);
    for (const away of [1, 2, 3]) {
      await fault(away, { kind: 'reset' });
      const recovered = await fixture.recover(fixture.keys(), account, code);
      expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
      await fixture.sandbox.control('faults/clear');
    }
  });

  test('refuses a weak code, and an account that has keys', async () => {
    const account = await fresh();
    const enroll = (who = account, with_ = code) => outcomeOf(fixture.enroll(fixture.keys(), who, with_));
    expect(await enroll(account, '1234')).toBe('400 Malformed field: encryption_code: is a run such as 1234 or abcd');
    expect(await enroll(fixture.sandbox.ada)).toBe('409 The account has chat keys already');
    expect(await enroll()).toBe('ok');
    expect(await enroll()).toBe('409 The account has chat keys already');
  });

  test('twice at the same time creates keys once', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    const enroll = () => outcomeOf(fixture.enroll(keys, account, code));
    const answers = await Promise.all([enroll(), enroll(), enroll()]);
    const taken = '409 The account has chat keys already';
    expect(answers.sort()).toEqual([taken, taken, 'ok']);
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });

  test('at two gateways, one of which is slow between its read and its write, does not replace the keys of the other', async () => {
    const account = await fresh();
    const [first, second] = [fixture.keys(), fixture.keys()];
    let wrote = () => {};
    let looks = () => {};
    const written = new Promise<void>((resolve) => {
      wrote = resolve;
    });
    const looked = new Promise<void>((resolve) => {
      looks = resolve;
    });
    const late: Lie = (realm) => ({
      register: async (record, replaces) => {
        looks();
        await written;
        return realm.register(record, replaces);
      },
    });
    const session = [1, 2, 3].reduce((all, place) => lying(all, place, late), fixture.session(account));
    const dawdling = outcomeOf(second.enroll(session, fixture.holder(account), new Secret(code), randomBytes(64)));
    await looked;
    const privateKeys = randomBytes(64);
    await fixture.enroll(first, account, code, privateKeys);
    wrote();
    expect(await dawdling).toBe('409 The account has chat keys already');
    const recovered = await fixture.recover(fixture.keys(), account, code);
    expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
  });

  test('needs two realms, and may be repeated', async () => {
    const account = await fresh();
    const privateKeys = randomBytes(64);
    const enroll = () => outcomeOf(fixture.enroll(fixture.keys(), account, code, privateKeys));
    await fault(1, { kind: 'status', status: 500 }, { operation: 'registerAtRealm' });
    await fault(2, { kind: 'reset' }, { operation: 'registerAtRealm' });
    expect(await enroll()).toBe(tooFew);
    await fixture.sandbox.control('faults/clear');
    await fault(2, { kind: 'reset' });
    expect(await enroll()).toBe(tooFew);
    await fixture.sandbox.control('faults/clear');
    expect(await enroll()).toBe('ok');
    const recovered = await fixture.recover(fixture.keys(), account, code);
    expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
  });
});
