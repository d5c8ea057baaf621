import { describe, expect, test } from 'vitest';
import { chatPrivateKeysFor } from '../../../src/sandbox/seed/credentials.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { openSandbox } from '../../sandbox/harness.ts';
import { RealmClient } from '../../sandbox/realm-client.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { KeyRecoveryFixture, outcomeOf } from './fixture.ts';
import { RealmFront } from './realm-front.ts';

const fixture = new KeyRecoveryFixture(await openSandbox());
const MINUTE_MS = 60_000;

describe('a recovery', () => {
  test('returns the private keys for the right code, and calls the realms only the first time', async () => {
    const keys = fixture.keys();
    const { ada } = fixture.sandbox;
    const recovered = await fixture.recover(keys, ada);
    expect(recovered.userId).toBe(ada.userId);
    expect(Buffer.from(recovered.privateKeys())).toEqual(chatPrivateKeysFor('postern', 'ada'));
    const [again, steps] = await fixture.asked('realmRequest', () => fixture.recover(keys, ada));
    expect([again, steps]).toEqual([recovered, 0]);
  });

  test('works with the PIN hash of production', async () => {
    const own = new KeyRecoveryFixture(await openSandbox({ pinHashing: 'Standard2019' }));
    const { ada } = own.sandbox;
    const keys = own.keys();
    expect((await own.recover(keys, ada)).userId).toBe(ada.userId);
    expect(await own.outcome(keys, ada, '555123')).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });

  test('is shared by concurrent calls with the same code', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const [all, guesses] = await fixture.asked('realmRequest', () =>
      Promise.all(Array.from({ length: 10 }, () => fixture.recover(keys, account))),
    );
    expect([new Set(all).size, guesses]).toEqual([1, 9]);
  });

  test('is not shared with a call through a proxy', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const byProxy = { ...fixture.holder(account), proxy: new Secret('http://203.0.113.1:3128') };
    const [, requests] = await fixture.asked('realmRequest', () =>
      Promise.all([
        fixture.recover(keys, account),
        keys.recover(fixture.session(account), byProxy, new Secret(account.encryptionCode)),
      ]),
    );
    expect(requests).toBe(18);
  });

  test('reads the access tokens of the realms when it is its turn, because they expire', async () => {
    const front = await RealmFront.open(fixture.sandbox.url);
    const { ada, grace } = fixture.sandbox;
    const own = new KeyRecoveryFixture(fixture.sandbox, front.url);
    const keys = own.keys();
    let second: Promise<unknown> | undefined;
    const [, before] = await own.asked('getUsersPublicKey', async () => {
      const held = new Promise<void>((resolve) => {
        front.at(1, async (_phase, ask) => {
          if (second === undefined) {
            second = own.recover(keys, grace);
            await new Promise<void>((passed) => patientRuntime.after(300, passed));
            resolve();
          }
          return ask();
        });
      });
      void own.recover(keys, ada);
      await held;
    });
    await second;
    expect(before).toBe(1);
  });

  test('refuses a secret that is not chat keys with 502', async () => {
    const account = await fixture.sandbox.mint({ chatKeys: false });
    await new RealmClient(() => fixture.sandbox.url).enroll(account, '739104', Buffer.alloc(32));
    const outcome = await fixture.outcome(fixture.keys(), account, '739104');
    expect(outcome).toBe('502 The key backup has a secret that is not chat keys');
  });

  test('is not shared between API accounts', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const [one, other] = await Promise.all([
      fixture.recover(keys, account, account.encryptionCode, 'one'),
      fixture.recover(keys, account, account.encryptionCode, 'other'),
    ]);
    expect(one).not.toBe(other);
  });

  test('is refused with 409 for an account without chat keys, and with 403 for a refused token', async () => {
    const account = await fixture.sandbox.mint({ chatKeys: false });
    const keys = fixture.keys();
    expect(await fixture.outcome(keys, account)).toBe('409 The account has no chat keys');
    const stranger = { ...account, authToken: 'ab'.repeat(20) };
    expect(await fixture.outcome(keys, stranger)).toBe('403 Platform rejected auth_token');
  });
});

describe('recovered keys', () => {
  test('are wiped five minutes after their last use', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const first = await fixture.recover(keys, account);
    first.keep('conversation', Buffer.from('a key'));
    fixture.pass(4 * MINUTE_MS);
    expect(await fixture.recover(keys, account)).toBe(first);
    fixture.pass(4 * MINUTE_MS);
    expect(await fixture.recover(keys, account)).toBe(first);
    expect(first.kept('conversation')).toEqual(Uint8Array.from(Buffer.from('a key')));
    fixture.pass(6 * MINUTE_MS);
    const second = await fixture.recover(keys, account);
    expect(second).not.toBe(first);
    expect([first.forgotten, first.kept('conversation')]).toEqual([true, undefined]);
    expect(() => first.privateKeys()).toThrow('forgotten');
  });

  test('are wiped fifteen minutes after they were recovered, even if they are used', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const first = await fixture.recover(keys, account);
    for (let minute = 0; minute < 12; minute += 4) {
      fixture.pass(4 * MINUTE_MS);
      expect(await fixture.recover(keys, account)).toBe(first);
    }
    // In the last minute new tokens are issued, and old tokens stay valid.
    fixture.pass(2.5 * MINUTE_MS);
    const second = await fixture.recover(keys, account);
    expect([second === first, first.forgotten]).toEqual([false, false]);
    fixture.pass(MINUTE_MS);
    await fixture.recover(keys, account);
    expect([second.forgotten, first.forgotten]).toEqual([false, true]);
  });

  test('are found by the same code only, and wiped when the service closes', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const recovered = await fixture.recover(keys, account);
    expect(await fixture.outcome(keys, account, '555123')).toBe('403 Wrong encryption_code: 19 guesses remaining');
    await keys.close();
    expect(recovered.forgotten).toBe(true);
  });
});

describe('wrong codes', () => {
  const wrong = ['170391', '270391', '370391', '470391', '570391'] as const;

  test('are refused with the number of remaining guesses, and after the third with 429 for a minute', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    for (const [index, code] of wrong.slice(0, 3).entries()) {
      expect(await fixture.outcome(keys, account, code)).toBe(
        `403 Wrong encryption_code: ${19 - index} guesses remaining`,
      );
    }
    const refused = 'Too many wrong encryption_codes for this account: wait';
    const [answer, steps] = await fixture.asked('realmRequest', () => fixture.outcome(keys, account, wrong[3]));
    expect([answer, steps]).toEqual([expect.stringMatching(`^429 ${refused} (59|60) s$`), 0]);
    expect(await fixture.outcome(keys, account)).toMatch(/^429 /);
    fixture.pass(MINUTE_MS);
    expect(await fixture.outcome(keys, account, wrong[3])).toBe('403 Wrong encryption_code: 16 guesses remaining');
    fixture.pass(MINUTE_MS);
    expect(await fixture.outcome(keys, account, wrong[4])).toMatch(/^429 .* wait (59|60) s$/);
    fixture.pass(MINUTE_MS);
    expect(await fixture.outcome(keys, account)).toBe('ok');
    // The correct code resets the counters of all three realms.
    expect(await fixture.outcome(keys, account, wrong[4])).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });

  test('are limited in the same way if they are concurrent', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const codes = Array.from({ length: 12 }, (_, index) => String(170_391 + index * 10_007));
    const answers = await Promise.all(codes.map((code) => fixture.outcome(keys, account, code)));
    expect(answers.filter((answer) => answer.startsWith('403'))).toHaveLength(3);
    expect(answers.filter((answer) => answer.startsWith('429'))).toHaveLength(9);
    fixture.pass(MINUTE_MS);
    expect(await fixture.outcome(keys, account, wrong[0])).toBe('403 Wrong encryption_code: 16 guesses remaining');
  });

  test('of one caller do not prevent another from using recovered keys', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const recovered = await fixture.recover(keys, account);
    for (const code of wrong.slice(0, 3)) await fixture.outcome(keys, account, code, 'somebody else');
    expect(await fixture.outcome(keys, account, wrong[3], 'somebody else')).toMatch(/^429 /);
    expect(await fixture.recover(keys, account)).toBe(recovered);
    expect(await fixture.outcome(keys, account, account.encryptionCode, 'a third')).toMatch(/^429 /);
  });

  test('through a proxy, which may invent them, do not refuse other callers', async () => {
    const account = await fixture.sandbox.mint();
    const keys = fixture.keys();
    const other = { ...fixture.holder(account, 'other'), proxy: new Secret('http://203.0.113.1:3128') };
    const tryCode = (code: string) => outcomeOf(keys.recover(fixture.session(account), other, new Secret(code)));
    for (const code of wrong.slice(0, 3)) expect(await tryCode(code)).toMatch(/^403 /);
    expect(await tryCode(wrong[3])).toMatch(/^429 /);
    expect(await fixture.outcome(keys, account)).toBe('ok');
  });

  test('lock the account permanently after twenty', async () => {
    const account = await fixture.sandbox.mint();
    const answers: string[] = [];
    for (let number = 0; number < 20; number++) {
      // Each guess uses another gateway, so that the throttle of a gateway does not apply.
      const keys = fixture.keys();
      answers.push(await fixture.outcome(keys, account, String(170_391 + number * 10_007)));
    }
    expect(answers.at(-2)).toBe('403 Wrong encryption_code: 1 guesses remaining');
    const gone = '423 No guesses of encryption_code remain: these chat keys are gone for good';
    expect(answers.at(-1)).toBe(gone);
    expect(await fixture.outcome(fixture.keys(), account)).toBe(gone);
  });
});
