import { describe, expect, it } from 'vitest';
import { chatPrivateKeysFor } from '../../../src/sandbox/seed/credentials.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { keyWorld, told } from './world.ts';

const here = keyWorld();
const MINUTE_MS = 60_000;

describe('a recovery', () => {
  it('gives the private keys for the right code, and takes a moment only the first time', async () => {
    const { world } = here;
    const keys = world.keys();
    const { ada } = world.sandbox;
    await world.recover(world.keys(), ada);
    const began = performance.now();
    const recovered = await world.recover(keys, ada);
    const coldMs = performance.now() - began;
    expect(recovered.userId).toBe(ada.userId);
    expect(Buffer.from(recovered.privateKeys())).toEqual(chatPrivateKeysFor('postern', 'ada'));
    const [again, steps] = await world.asked('realmState', () => world.recover(keys, ada));
    expect([again, steps]).toEqual([recovered, 0]);
    process.stdout.write(`a cold recovery: ${coldMs.toFixed(0)} ms\n`);
  });

  it('is one for all who ask at the same time with the same code', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const [all, guesses] = await world.asked('guessAtRealm', () =>
      Promise.all(Array.from({ length: 10 }, () => world.recover(keys, account))),
    );
    expect([new Set(all).size, guesses]).toEqual([1, 2]);
  });

  it('is not shared with a call that goes by a proxy', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const byProxy = { ...world.holder(account), proxy: new Secret('http://203.0.113.1:3128') };
    const [, states] = await world.asked('realmState', () =>
      Promise.all([
        world.recover(keys, account),
        keys.recover(world.session(account), byProxy, new Secret(account.encryptionCode)),
      ]),
    );
    expect(states).toBe(6);
  });

  it('is not shared between API accounts', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const [one, other] = await Promise.all([
      world.recover(keys, account, account.encryptionCode, 'one'),
      world.recover(keys, account, account.encryptionCode, 'other'),
    ]);
    expect(one).not.toBe(other);
  });

  it('of an account without chat keys is a conflict, and of a refused token is forbidden', async () => {
    const { world } = here;
    const account = await world.sandbox.mint({ chatKeys: false });
    const keys = world.keys();
    expect(await world.outcome(keys, account)).toBe('409 The account has no chat keys');
    const stranger = { ...account, authToken: 'ab'.repeat(20) };
    expect(await world.outcome(keys, stranger)).toBe('403 Platform rejected auth_token');
  });
});

describe('recovered keys', () => {
  it('are wiped five minutes after their last use', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const first = await world.recover(keys, account);
    first.keep('conversation', Buffer.from('a key'));
    world.pass(4 * MINUTE_MS);
    expect(await world.recover(keys, account)).toBe(first);
    world.pass(4 * MINUTE_MS);
    expect(await world.recover(keys, account)).toBe(first);
    expect(first.kept('conversation')).toEqual(Uint8Array.from(Buffer.from('a key')));
    world.pass(6 * MINUTE_MS);
    const second = await world.recover(keys, account);
    expect(second).not.toBe(first);
    expect([first.forgotten, first.kept('conversation')]).toEqual([true, undefined]);
    expect(() => first.privateKeys()).toThrow('forgotten');
  });

  it('are wiped fifteen minutes after they were recovered, however often they are used', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const first = await world.recover(keys, account);
    for (let minute = 0; minute < 12; minute += 4) {
      world.pass(4 * MINUTE_MS);
      expect(await world.recover(keys, account)).toBe(first);
    }
    // In the last minute new ones are handed out, and the old ones stay for those who have them.
    world.pass(2.5 * MINUTE_MS);
    const second = await world.recover(keys, account);
    expect([second === first, first.forgotten]).toEqual([false, false]);
    world.pass(MINUTE_MS);
    await world.recover(keys, account);
    expect([second.forgotten, first.forgotten]).toEqual([false, true]);
  });

  it('are found by the same code alone, and wiped at the end', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const recovered = await world.recover(keys, account);
    expect(await world.outcome(keys, account, '555123')).toBe('403 Wrong encryption_code: 19 guesses remaining');
    await keys.close();
    expect(recovered.forgotten).toBe(true);
  });
});

describe('wrong codes', () => {
  const wrong = ['170391', '270391', '370391', '470391', '570391'] as const;

  it('are told how many guesses remain, and from the third on have to wait, longer each time', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    for (const [index, code] of wrong.slice(0, 3).entries()) {
      expect(await world.outcome(keys, account, code)).toBe(
        `403 Wrong encryption_code: ${19 - index} guesses remaining`,
      );
    }
    const refused = 'Too many wrong encryption_codes for this account: wait';
    const [answer, steps] = await world.asked('realmState', () => world.outcome(keys, account, wrong[3]));
    expect([answer, steps]).toEqual([expect.stringMatching(`^429 ${refused} (59|60) s$`), 0]);
    expect(await world.outcome(keys, account)).toMatch(/^429 /);
    world.pass(MINUTE_MS);
    expect(await world.outcome(keys, account, wrong[3])).toBe('403 Wrong encryption_code: 16 guesses remaining');
    world.pass(MINUTE_MS);
    expect(await world.outcome(keys, account, wrong[4])).toMatch(/^429 .* wait (59|60) s$/);
    world.pass(MINUTE_MS);
    expect(await world.outcome(keys, account)).toBe('ok');
    // The right one sets everything back, at all three realms.
    expect(await world.outcome(keys, account, wrong[4])).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });

  it('do not slip past that by coming at once', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const codes = Array.from({ length: 12 }, (_, index) => String(170_391 + index * 10_007));
    const answers = await Promise.all(codes.map((code) => world.outcome(keys, account, code)));
    expect(answers.filter((answer) => answer.startsWith('403'))).toHaveLength(3);
    expect(answers.filter((answer) => answer.startsWith('429'))).toHaveLength(9);
    world.pass(MINUTE_MS);
    expect(await world.outcome(keys, account, wrong[0])).toBe('403 Wrong encryption_code: 16 guesses remaining');
  });

  it('of one caller do not keep another from keys that are known', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const recovered = await world.recover(keys, account);
    for (const code of wrong.slice(0, 3)) await world.outcome(keys, account, code, 'somebody else');
    expect(await world.outcome(keys, account, wrong[3], 'somebody else')).toMatch(/^429 /);
    expect(await world.recover(keys, account)).toBe(recovered);
    expect(await world.outcome(keys, account, account.encryptionCode, 'a third')).toMatch(/^429 /);
  });

  it('lock the account for good after twenty', { timeout: 90_000 }, async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const answers: string[] = [];
    for (let number = 0; number < 20; number++) {
      // Each by a gateway that does not know the others', so that no brake is in the way.
      const keys = world.keys();
      answers.push(await world.outcome(keys, account, String(170_391 + number * 10_007)));
      await keys.close();
    }
    expect(answers.at(-2)).toBe('403 Wrong encryption_code: 1 guesses remaining');
    const gone = '423 No guesses of encryption_code remain: these chat keys are gone for good';
    expect(answers.at(-1)).toBe(gone);
    expect(await world.outcome(world.keys(), account)).toBe(gone);
    // The shares are destroyed, rather than withheld.
    const { realms } = world.session(account);
    for (const realm of realms)
      expect(await realm.unlock('ab'.repeat(16), new Uint8Array(32))).toEqual({ kind: 'stale' });
    expect((await Promise.all(realms.map((realm) => realm.state()))).map(({ kind }) => kind)).toEqual(
      Array(3).fill('locked'),
    );
  });
});

describe('closing', () => {
  it('ends what is under way', async () => {
    const { world } = here;
    const account = await world.sandbox.mint();
    const keys = world.keys();
    const ended = told(world.recover(keys, account)).catch(() => 'ended');
    await keys.close();
    expect(['ok', 'ended']).toContain(await ended);
  });
});
