import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { KeySession } from '../../../src/messaging/key-recovery/chat-key-service.ts';
import { ForwardProxy } from '../../../src/outbound/proxy.ts';
import type { PlatformRealm } from '../../../src/platform/realms-port.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { keyWorld, told } from './world.ts';

const here = keyWorld();
afterEach(() => here.world.sandbox.control('faults/clear'));

const fault = (realm: number, kind: object, more: object = {}) =>
  here.world.sandbox.fault(kind, { path_prefix: `/realms/${realm}/`, times: null, ...more });
const tooFew = '503 Too few key realms are reachable: two of three are needed';

describe('one realm', () => {
  it.each([
    [1, 'fails', { kind: 'status', status: 500 }],
    [2, 'hangs up', { kind: 'reset' }],
    [3, 'answers nonsense', { kind: 'nonsense' }],
    [1, 'answers in another shape', { kind: 'wrong_shape' }],
    [2, 'dawdles', { kind: 'latency', ms: 9_000 }],
    [1, 'never answers', { kind: 'hang' }],
  ])('%i that %s is done without', async (realm, _how, kind) => {
    const { world } = here;
    const { linus: account } = world.sandbox;
    await fault(realm, kind);
    const began = performance.now();
    expect(await world.outcome(world.keys(), account)).toBe('ok');
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it.each([
    ['guessAtRealm', { kind: 'status', status: 500 }],
    ['guessAtRealm', { kind: 'hang' }],
    ['guessAtRealm', { kind: 'hang_after' }],
    ['guessAtRealm', { kind: 'reset_after' }],
    ['unlockAtRealm', { kind: 'status', status: 500 }],
    ['unlockAtRealm', { kind: 'reset_after' }],
  ])('that fails in the middle, at %s with %o, is done without', async (operation, kind) => {
    const { world } = here;
    const { linus: account } = world.sandbox;
    await fault(1, kind, { operation });
    expect(await world.outcome(world.keys(), account)).toBe('ok');
  });

  it('that is away costs no guess at the others, once the code was right', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    await fault(2, { kind: 'reset' });
    const keys = world.keys();
    expect(await world.outcome(keys, account)).toBe('ok');
    expect(await world.outcome(keys, account, '555123')).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });
});

describe('two realms that are away', () => {
  it.each(['realmState', 'guessAtRealm', 'unlockAtRealm'])('at %s are too many', async (operation) => {
    const { world } = here;
    const { linus: account } = world.sandbox;
    await fault(1, { kind: 'status', status: 500 }, { operation });
    await fault(3, { kind: 'reset' }, { operation });
    expect(await world.outcome(world.keys(), account)).toBe(tooFew);
    await world.sandbox.control('faults/clear');
    expect(await world.outcome(world.keys(), account)).toBe('ok');
  });
});

it('a proxy that is dead is named, since that says more than that realms are away', async () => {
  const { world } = here;
  const { linus } = world.sandbox;
  const session = world.session(linus, new ForwardProxy('127.0.0.1:1', 'http://127.0.0.1:1', null));
  const recovering = world.keys().recover(session, world.holder(linus), new Secret(linus.encryptionCode));
  expect(await told(recovering)).toMatch(/^502 .*proxy.*127\.0\.0\.1:1/);
});

type Lie = (realm: PlatformRealm) => Partial<PlatformRealm>;

/** A realm that does what the real one does, and says something else. */
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

describe('a realm that lies', () => {
  const lies: [string, Lie][] = [
    ['of a version', () => ({ state: async () => ({ kind: 'enrolled', accountId: '1', version: 'ab'.repeat(16) }) })],
    ['that there is nothing', () => ({ state: async () => ({ kind: 'none', accountId: '1' }) })],
    [
      'with another element',
      (realm) => ({
        guess: async (version, element) => ({ ...(await realm.guess(version, element)), evaluated: element }),
      }),
    ],
    [
      'with no element',
      (realm) => ({
        guess: async (version, element) => ({ ...(await realm.guess(version, element)), evaluated: randomBytes(32) }),
      }),
    ],
    [
      'with another commitment',
      (realm) => ({
        guess: async (version, element) => ({ ...(await realm.guess(version, element)), commitment: randomBytes(32) }),
      }),
    ],
    ['that no guesses remain', () => ({ guess: async () => ({ kind: 'locked' }) })],
    [
      'with another share',
      (realm) => ({
        unlock: async (version, tag) => ({ ...(await realm.unlock(version, tag)), sealedShare: randomBytes(48) }),
      }),
    ],
    [
      'with other keys',
      (realm) => ({
        unlock: async (version, tag) => ({ ...(await realm.unlock(version, tag)), sealedKeys: randomBytes(80) }),
      }),
    ],
  ];
  it.each([1, 2, 3].flatMap((place) => lies.map(([what, lie]) => [place, what, lie] as const)))(
    '%i, %s, is noticed and done without',
    async (place, _what, lie) => {
      const { world } = here;
      const { grace } = world.sandbox;
      const keys = world.keys();
      const session = lying(world.session(grace), place, lie);
      const recovered = await keys.recover(session, world.holder(grace), new Secret(grace.encryptionCode));
      expect(recovered.privateKeys()).toHaveLength(64);
      await keys.close();
    },
  );

  it('makes no right code wrong where only two are left: it says that they are too few', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    await fault(3, { kind: 'reset' });
    const session = lying(world.session(account), 1, (realm) => ({
      guess: async (version, element) => ({ ...(await realm.guess(version, element)), commitment: randomBytes(32) }),
    }));
    const recovering = world.keys().recover(session, world.holder(account), new Secret(account.encryptionCode));
    expect(await told(recovering)).toBe(tooFew);
  });
});

describe('enrolling', () => {
  const code = '739104';
  const fresh = () => here.world.sandbox.mint({ chatKeys: false });

  it('makes keys that the code recovers from any two realms, here and elsewhere', async () => {
    const { world } = here;
    const account = await fresh();
    const privateKeys = randomBytes(64);
    const keys = world.keys();
    const enrolled = await keys.enroll(world.session(account), world.holder(account), new Secret(code), privateKeys);
    expect(Buffer.from(enrolled.privateKeys())).toEqual(privateKeys);
    expect(await world.recover(keys, account, code)).toBe(enrolled);
    for (const away of [1, 2, 3]) {
      await fault(away, { kind: 'reset' });
      const recovered = await world.recover(world.keys(), account, code);
      expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
      await world.sandbox.control('faults/clear');
    }
  });

  it('refuses a weak code, and an account that has keys', async () => {
    const { world } = here;
    const account = await fresh();
    const enroll = (who = account, with_ = code) =>
      told(world.keys().enroll(world.session(who), world.holder(who), new Secret(with_), randomBytes(64)));
    expect(await enroll(account, '1234')).toBe('400 Malformed field: encryption_code: is a run such as 1234 or abcd');
    expect(await enroll(world.sandbox.ada)).toBe('409 The account has chat keys already');
    expect(await enroll()).toBe('ok');
    expect(await enroll()).toBe('409 The account has chat keys already');
  });

  it('twice at the same time makes keys once', async () => {
    const { world } = here;
    const account = await fresh();
    const keys = world.keys();
    const enroll = () =>
      told(keys.enroll(world.session(account), world.holder(account), new Secret(code), randomBytes(64)));
    const answers = await Promise.all([enroll(), enroll(), enroll()]);
    const taken = '409 The account has chat keys already';
    expect(answers.sort()).toEqual([taken, taken, 'ok']);
    expect(await world.outcome(world.keys(), account, code)).toBe('ok');
  });

  it('at two gateways, one of which dawdles between looking and writing, leaves the keys of the other alone', async () => {
    const { world } = here;
    const account = await fresh();
    const [first, second] = [world.keys(), world.keys()];
    let wrote = () => {};
    let looks = () => {};
    const written = new Promise<void>((resolve) => {
      wrote = resolve;
    });
    const looked = new Promise<void>((resolve) => {
      looks = resolve;
    });
    const { realms } = world.session(account);
    const late = realms.map(
      (realm): PlatformRealm => ({
        place: realm.place,
        state: () => realm.state(),
        guess: (version, element) => realm.guess(version, element),
        unlock: (version, tag) => realm.unlock(version, tag),
        register: async (record, replaces) => {
          looks();
          await written;
          return realm.register(record, replaces);
        },
      }),
    );
    const dawdling = told(second.enroll({ realms: late }, world.holder(account), new Secret(code), randomBytes(64)));
    await looked;
    const privateKeys = randomBytes(64);
    await first.enroll(world.session(account), world.holder(account), new Secret(code), privateKeys);
    wrote();
    expect(await dawdling).toBe('409 The account has chat keys already');
    const recovered = await world.recover(world.keys(), account, code);
    expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
  });

  it('needs two realms, and may be repeated', async () => {
    const { world } = here;
    const account = await fresh();
    const privateKeys = randomBytes(64);
    const enroll = () =>
      told(world.keys().enroll(world.session(account), world.holder(account), new Secret(code), privateKeys));
    await fault(1, { kind: 'status', status: 500 }, { operation: 'registerAtRealm' });
    await fault(2, { kind: 'reset' }, { operation: 'registerAtRealm' });
    expect(await enroll()).toBe(tooFew);
    await world.sandbox.control('faults/clear');
    await fault(2, { kind: 'reset' });
    expect(await enroll()).toBe('503 Too few key realms are reachable: two of three are needed');
    await world.sandbox.control('faults/clear');
    expect(await enroll()).toBe('ok');
    const recovered = await world.recover(world.keys(), account, code);
    expect(Buffer.from(recovered.privateKeys())).toEqual(privateKeys);
  });
});
