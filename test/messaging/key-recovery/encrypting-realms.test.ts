import { afterEach, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/harness.ts';
import { KeyRecoveryFixture } from './fixture.ts';
import { lost, RealmFront, type Reply } from './realm-front.ts';

const sandbox = await openSandbox();
const front = await RealmFront.open(sandbox.url);
// X has one software realm and two that encrypt.
front.encrypting = [2, 3];
const fixture = new KeyRecoveryFixture(sandbox, front.url);
afterEach(() => front.clear());

const wrong = (guesses: number) => `403 Wrong encryption_code: ${guesses} guesses remaining`;
const gone = '423 No guesses of encryption_code remain: these chat keys are gone for good';
const away = async () => null;

/** Changes the outcome of a phase. */
const lie = (phase: string, change: (outcome: Reply) => unknown) => async (at: string, ask: () => Promise<Reply>) => {
  const reply = await ask();
  return at === phase ? { [at]: change(reply[at] as Reply) } : reply;
};

describe('encrypting realms', () => {
  test('enroll, recover, and refuse a wrong code until no guesses remain', async () => {
    const account = await sandbox.mint({ chatKeys: false });
    expect(await fixture.outcome(fixture.keys(), account)).toBe('409 The account has no chat keys');
    const own = await fixture.enroll(fixture.keys(), account, '739104');
    expect((await fixture.recover(fixture.keys(), account, '739104')).privateKeys()).toEqual(own.privateKeys());
    const outcomes: string[] = [];
    for (let number = 0; number < 21; number++)
      outcomes.push(await fixture.outcome(fixture.keys(), account, String(170_391 + number * 10_007)));
    // The last guess could also be a lie of the software realm.
    expect([outcomes[0], outcomes[18], outcomes[19], outcomes[20]]).toEqual([wrong(19), wrong(1), wrong(1), gone]);
  });

  test.each([
    ['Recover1', false],
    ['Recover2', false],
    ['Recover2', true],
    ['Recover3', false],
    ['Recover3', true],
  ] as const)('get one guess if the answer of one to %s is lost (after it: %s)', async (phase, isHandled) => {
    const account = await sandbox.mint();
    front.at(2, lost(phase, isHandled));
    const [outcome, guesses] = await front.counts('Recover2', () => fixture.outcome(fixture.keys(), account));
    expect([outcome, guesses]).toEqual(['ok', [1, phase === 'Recover1' ? 0 : 1, 1]]);
    // The least number of the two realms that encrypt.
    front.clear();
    front.at(1, away);
    const isCounted = phase === 'Recover3' && !isHandled;
    expect(await fixture.outcome(fixture.keys(), account, '555123')).toBe(wrong(isCounted ? 18 : 19));
  });

  test.each([
    ['Recover1', [1, 0, 1], [1, 0, 1]],
    ['Recover2', [1, 1, 1], [1, 1, 1]],
    ['Recover3', [1, 1, 1], [1, 1, 1]],
  ] as const)('get one guess and one tag if one is slow at %s', async (slowAt, guesses, tags) => {
    const account = await sandbox.mint();
    const keys = fixture.keys();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    front.at(2, async (phase, ask) => {
      if (phase === slowAt) await released;
      return ask();
    });
    const recover = async () => {
      expect(await fixture.outcome(keys, account)).toBe('ok');
      release();
      await keys.close();
    };
    const [[, tagged], guessed] = await front.counts('Recover2', () => front.counts('Recover3', recover));
    expect([guessed, tagged]).toEqual([guesses, tags]);
    front.clear();
    front.at(1, away);
    expect(await fixture.outcome(fixture.keys(), account, '555123')).toBe(wrong(19));
  });

  test('are not taken for used up because the software realm says so', async () => {
    const account = await sandbox.mint();
    front.at(
      1,
      lie('Recover2', (outcome) => ({ Ok: { ...(outcome['Ok'] as Reply), guess_count: 20 } })),
    );
    expect(await fixture.outcome(fixture.keys(), account, '555123')).toBe(wrong(1));
  });

  test.each([
    ['Recover1', 'NoGuesses'],
    ['Recover1', 'NotRegistered'],
    ['Recover2', 'NoGuesses'],
    ['Recover3', 'NoGuesses'],
  ] as const)(
    'do not refuse a right code if one says at %s: %s, and the software realm is away',
    async (phase, what) => {
      const account = await sandbox.mint();
      front.at(1, lost(phase, false));
      front.at(
        2,
        lie(phase, () => what),
      );
      const tooFew = '503 Too few key realms are reachable: two of three are needed';
      expect(await fixture.outcome(fixture.keys(), account)).toBe(tooFew);
    },
  );
});
