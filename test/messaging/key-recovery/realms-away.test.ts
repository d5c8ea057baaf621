import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { ForwardProxy } from '../../../src/outbound/proxy.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { startForwardProxy } from '../../proxy/forward-proxy.ts';
import { type Account, openSandbox } from '../../sandbox/harness.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { isAll } from '../../support/repetitions.ts';
import { KeyRecoveryFixture, outcomeOf } from './fixture.ts';
import { lost, type Phase, RealmFront, type Reply } from './realm-front.ts';

const sandbox = await openSandbox();
const front = await RealmFront.open(sandbox.url);
const fixture = new KeyRecoveryFixture(sandbox, front.url);
afterEach(() => {
  front.clear();
  return sandbox.control('faults/clear');
});

const fault = (realm: number, kind: object) =>
  sandbox.fault(kind, { path_prefix: `/sandbox/realms/${realm}/`, times: null });
const tooFew = '503 Too few key realms are reachable: two of three are needed';
const away = async () => null;

/** Responds after the time that a realm has when two others have responded. */
const slow = async (_phase: Phase, ask: () => Promise<Reply>) => {
  await new Promise<void>((resolve) => patientRuntime.after(600, resolve));
  return ask();
};

/** Returns the number of guesses that remain, by a wrong guess. */
const remaining = async (account: Account) => {
  const outcome = await fixture.outcome(fixture.keys(), account, '555123');
  return Number(/(\d+) guesses remaining$/.exec(outcome)?.[1]) + 1;
};

describe('one realm', () => {
  test.each([
    [1, 'fails', { kind: 'status', status: 500 }],
    [2, 'breaks the connection', { kind: 'reset' }],
    [3, 'responds with HTML', { kind: 'nonsense' }],
    [1, 'responds with JSON', { kind: 'wrong_shape' }],
    [2, 'redirects', { kind: 'redirect', location: 'http://127.0.0.1:9/' }],
    [3, 'refuses the token', { kind: 'status', status: 401 }],
    [1, 'never responds', { kind: 'hang' }],
  ])('%i that %s is not needed', async (realm, _how, kind) => {
    await fault(realm, kind);
    expect(await fixture.outcome(fixture.keys(), sandbox.linus)).toBe('ok');
  });

  test.each([
    ['Recover1', false],
    ['Recover2', false],
    ['Recover2', true],
    ['Recover3', false],
    ['Recover3', true],
  ] as const)('that breaks the connection at %s (after it: %s) gets one guess at most', async (phase, isHandled) => {
    const account = await sandbox.mint();
    front.at(1, lost(phase, isHandled));
    const [outcome, guesses] = await front.counts('Recover2', () => fixture.outcome(fixture.keys(), account));
    expect([outcome, guesses]).toEqual(['ok', [phase === 'Recover1' ? 0 : 1, 1, 1]]);
    front.clear();
    expect(await fixture.outcome(fixture.keys(), account)).toBe('ok');
    expect(await remaining(account)).toBe(20);
  });

  test('that is slow is not waited for, and still gets the tag that resets its count', async () => {
    const account = await sandbox.mint();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const keys = fixture.keys();
    front.at(2, async (phase, ask) => {
      if (phase === 'Recover2') await released;
      return ask();
    });
    const tags = await front.counts('Recover3', async () => {
      // The realm responds only after the recovery.
      expect(await fixture.outcome(keys, account)).toBe('ok');
      release();
      await keys.close();
    });
    expect(tags[1]).toEqual([1, 1, 1]);
    front.clear();
    // With realm 1 away, the count of realm 2 decides.
    front.at(1, away);
    expect(await remaining(account)).toBe(20);
  });

  test('that is away costs no guess at the others after a right code', async () => {
    const account = await sandbox.mint();
    front.at(2, away);
    expect(await fixture.outcome(fixture.keys(), account)).toBe('ok');
    expect(await remaining(account)).toBe(20);
  });
});

describe('two unavailable realms', () => {
  test.each(['Recover1', 'Recover2', 'Recover3'] as const)('at %s are refused with 503', async (phase) => {
    for (const place of [1, 3]) front.at(place, lost(phase, true));
    const [outcome, guesses] = await front.counts('Recover2', () => fixture.outcome(fixture.keys(), sandbox.linus));
    expect([outcome, Math.max(...guesses)]).toEqual([tooFew, phase === 'Recover1' ? 0 : 1]);
    front.clear();
    expect(await fixture.outcome(fixture.keys(), sandbox.linus)).toBe('ok');
  });

  test('with a rate limit are refused with 429', async () => {
    for (const place of [1, 2]) await fault(place, { kind: 'rate_limit', retry_after: 7 });
    expect(await fixture.outcome(fixture.keys(), sandbox.linus)).toMatch(/^429 /);
  });
});

describe('a proxy', () => {
  const { linus } = sandbox;
  const recover = (proxy: ForwardProxy, account: Account) => {
    const session = fixture.session(account, proxy);
    const who = { ...fixture.holder(account), proxy: new Secret(proxy.origin) };
    return outcomeOf(fixture.keys().recover(session, who, new Secret(account.encryptionCode)));
  };

  test('that is unavailable is named in the error, and not the realms', async () => {
    const proxy = new ForwardProxy('127.0.0.1:1', 'http://127.0.0.1:1', null);
    expect(await recover(proxy, linus)).toMatch(/^502 .*proxy.*127\.0\.0\.1:1/);
  });

  test.each([
    ['Recover1', 0],
    ['Recover2', 1],
  ] as const)('that dies after %s costs %i guesses', async (phase, guesses) => {
    const account = await sandbox.mint();
    const { name, url, origin, stop } = await startForwardProxy();
    const { username, password } = new URL(url);
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const proxy = new ForwardProxy(name, origin, new Secret(`Basic ${basic}`));
    let handled = 0;
    let died = () => {};
    const dying = new Promise<void>((resolve) => {
      died = resolve;
    });
    for (const place of [1, 2, 3])
      front.at(place, async (at, ask) => {
        const reply = await ask();
        if (at !== phase) return reply;
        handled += 1;
        if (handled === 3) void stop().then(died);
        await dying;
        return reply;
      });
    const [outcome, counts] = await front.counts('Recover2', () => recover(proxy, account));
    expect(outcome).toMatch(/^50[234] .*proxy/);
    expect(counts).toEqual([guesses, guesses, guesses]);
    front.clear();
    expect(await remaining(account)).toBe(20 - guesses);
  });
});

describe('a realm with a wrong response', () => {
  /** Changes the successful outcome of a phase. */
  const lie =
    (phase: Phase, change: (ok: Reply) => unknown) =>
    async (at: Phase, ask: () => Promise<Reply>): Promise<Reply> => {
      const reply = await ask();
      const { Ok: ok } = reply[at] as { Ok?: Reply };
      return at === phase && ok ? { [at]: change(ok) } : reply;
    };
  const ok = (changed: Reply) => (was: Reply) => ({ Ok: { ...was, ...changed } });
  const otherCommitment = lie('Recover2', ok({ unlock_key_commitment: randomBytes(32) }));
  const lies = [
    ['of a version', lie('Recover1', ok({ version: randomBytes(16) }))],
    ['that there is nothing', lie('Recover1', () => 'NotRegistered')],
    ['that no guesses remain at first', lie('Recover1', () => 'NoGuesses')],
    ['with no element', lie('Recover2', ok({ oprf_blinded_result: randomBytes(32) }))],
    ['with no proof', lie('Recover2', ok({ oprf_proof: { c: randomBytes(32), beta_z: randomBytes(32) } }))],
    ['with another commitment', otherCommitment],
    ['that no guesses remain', lie('Recover2', () => 'NoGuesses')],
    ['with another share', lie('Recover3', ok({ encryption_key_scalar_share: new Uint8Array(32).fill(1, 0, 1) }))],
    ['with other keys', lie('Recover3', ok({ encrypted_secret: randomBytes(145) }))],
  ] as const;

  /** A slow realm is waited for after such a response, because a refusal is of no use. */
  const refusals = new Set<string>(['that there is nothing', 'that no guesses remain at first']);

  test.each((isAll ? [1, 2, 3] : [2]).flatMap((place) => lies.map(([what, how]) => [place, what, how] as const)))(
    '%i, %s, is detected and not needed',
    async (place, _what, how) => {
      front.at(place, how);
      const recovered = await fixture.recover(fixture.keys(), sandbox.grace);
      expect(recovered.privateKeys()).toHaveLength(64);
    },
  );

  test.each(lies.flatMap(([what, how]) => [[what, 'away', how, away] as const, [what, 'slow', how, slow] as const]))(
    '%s, is no verdict on a right code while another realm is %s',
    async (what, _how, lie, other) => {
      const account = await sandbox.mint();
      front.at(1, lie);
      front.at(3, other);
      const outcome = await fixture.outcome(fixture.keys(), account);
      expect(outcome).toBe(other === slow && refusals.has(what) ? 'ok' : tooFew);
    },
  );

  test('that claims that no guesses remain does not make keys seem lost', async () => {
    const account = await sandbox.mint();
    front.at(1, lie('Recover2', ok({ num_guesses: 20, guess_count: 20 })));
    const outcome = fixture.outcome(fixture.keys(), account, '555123');
    expect(await outcome).toBe('403 Wrong encryption_code: 19 guesses remaining');
  });
});

test('a realm with an older registration is not needed, and is not taken for an account without keys', async () => {
  const account = await sandbox.mint({ chatKeys: false });
  await fixture.enroll(fixture.keys(), account, '739104');
  // Realm 1 keeps its first record.
  front.at(1, async (phase, ask) => (phase === 'Register2' ? { Register2: 'Ok' } : ask()));
  await fixture.enroll(fixture.keys(), account, '850217', true);
  expect(await fixture.outcome(fixture.keys(), account, '850217')).toBe('ok');
  for (const how of [away, slow]) {
    front.at(2, how);
    expect(await fixture.outcome(fixture.keys(), account, '850217')).toBe(tooFew);
  }
});

describe('enrolling', () => {
  const code = '739104';
  const fresh = () => sandbox.mint({ chatKeys: false });
  const enrolled = (account: Account, isReplacing = false, with_ = code) =>
    outcomeOf(fixture.enroll(fixture.keys(), account, with_, isReplacing));
  const has = '409 The account has chat keys already';

  test('creates keys that can be recovered from any two realms, also by another gateway', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    const own = await fixture.enroll(keys, account, code);
    expect(await fixture.recover(keys, account, code)).toBe(own);
    for (const place of [1, 2, 3]) {
      front.at(place, away);
      const recovered = await fixture.recover(fixture.keys(), account, code);
      expect(recovered.privateKeys()).toEqual(own.privateKeys());
      front.clear();
    }
  });

  test('refuses a weak code, and an account that has keys', async () => {
    const account = await fresh();
    const weak = '400 Malformed field: encryption_code: is a run such as 1234 or abcd';
    expect(await enrolled(account, false, '1234')).toBe(weak);
    expect(await enrolled(sandbox.ada)).toBe(has);
    expect(await enrolled(account)).toBe('ok');
    expect(await enrolled(account)).toBe(has);
  });

  test.each([
    ['digits of another keyboard', '１２０９４７', '120947', 'ok'],
    ['other characters as they were typed', 'ﬁsh-4417', 'fish-4417', '403 Wrong encryption_code: 19 guesses remaining'],
  ])('takes %s', async (_what, typed, other, expected) => {
    const account = await fresh();
    expect(await enrolled(account, false, typed)).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, typed)).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, other)).toBe(expected);
  });

  test('at the same time, in one gateway or two, creates keys once', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    const enroll = (with_ = keys) => outcomeOf(fixture.enroll(with_, account, code));
    const outcomes = await Promise.all([enroll(), enroll(), enroll(fixture.keys())]);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(outcomes.filter((outcome) => /^409 .* has .*chat keys/.test(outcome))).toHaveLength(2);
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });

  test('with replace_keys at two gateways, one of which is slow, tells the slow one to repeat', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    let other: Promise<string> | undefined;
    front.at(1, async (phase, ask) => {
      // The other gateway enrolls between the two steps of the first one.
      if (phase === 'Register1' && other === undefined) {
        other = enrolled(account, true, '850217');
        await other;
      }
      return ask();
    });
    const enroll = () => outcomeOf(fixture.enroll(keys, account, code, true));
    expect(await enroll()).toMatch(/^409 The chat keys were replaced .* repeat/);
    expect(await other).toBe('ok');
    expect(await enroll()).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });

  test('with replace_keys ends the use of the old code', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    const old = await fixture.enroll(keys, account, code);
    await fixture.enroll(keys, account, '850217', true);
    expect(old.forgotten).toBe(false);
    expect(await fixture.outcome(keys, account, code)).toBe('403 Wrong encryption_code: 19 guesses remaining');
    expect(await fixture.outcome(keys, account, '850217')).toBe('ok');
  });

  test('continues with the published keys if a realm was away, and otherwise needs replace_keys', async () => {
    const account = await fresh();
    const keys = fixture.keys();
    front.at(2, away);
    const enroll = () => outcomeOf(fixture.enroll(keys, account, code));
    expect(await enroll()).toMatch(/^503 Too few key realms are reachable: all are needed to enroll/);
    front.clear();
    // The process that published the keys may have ended.
    expect(await enrolled(account)).toBe(has);
    expect(await fixture.outcome(fixture.keys(), account, code)).toMatch(/^409 The private chat keys .*replace_keys/);
    expect(await enroll()).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });

  test('with replace_keys makes new keys for an interrupted enrolment', async () => {
    const account = await fresh();
    front.at(1, away);
    expect(await enrolled(account)).toMatch(/^503 /);
    front.clear();
    expect(await enrolled(account, true)).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });

  test.each(['Register1', 'Register2'] as const)('that loses the answer of %s may be repeated', async (phase) => {
    const account = await fresh();
    const keys = fixture.keys();
    front.at(3, lost(phase, true));
    expect(await outcomeOf(fixture.enroll(keys, account, code))).toMatch(/^503 /);
    front.clear();
    expect(await outcomeOf(fixture.enroll(keys, account, code))).toBe('ok');
    expect(await fixture.outcome(fixture.keys(), account, code)).toBe('ok');
  });
});
