import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unlockTag } from '../../../../src/messaging/encryption/recovery/derive.ts';
import { enroll, type RealmRecord } from '../../../../src/messaging/encryption/recovery/enroll.ts';
import { type Evaluation, Guess } from '../../../../src/messaging/encryption/recovery/guess.ts';
import { splitStretched, UnlockKeys } from '../../../../src/messaging/encryption/recovery/keys.ts';
import { oprf } from '../../../../src/messaging/encryption/recovery/oprf.ts';
import { combineScalars } from '../../../../src/messaging/encryption/recovery/shamir.ts';
import { KeyStretcher } from '../../../../src/messaging/encryption/recovery/stretch.ts';
import { repetitions } from '../../../support/repetitions.ts';

const enrolment = { accountId: '1234567890', version: 'ab'.repeat(16) };
const code = '482913';
/** A fast replacement for Argon2, because thousands of codes are tried. */
const quick = (text: string) => createHash('sha512').update(text).digest();
const privateKeys = randomBytes(64);
const records = enroll({ ...enrolment, stretched: quick(code), privateKeys }, randomBytes);

const recordOf = (place: number, from = records): RealmRecord => {
  const record = from[place - 1];
  if (record === undefined) throw new Error(`no realm ${place}`);
  return record;
};

function evaluation(guess: Guess, place: number, from = records): Evaluation {
  const { oprfKeyShare, commitment } = recordOf(place, from);
  return { place, evaluated: oprf.evaluate(oprfKeyShare, guess.blindedElement), commitment };
}

function recover(text: string, one: number, other: number, from = records): Buffer | null {
  const guess = new Guess(enrolment, quick(text), randomBytes);
  const keys = guess.combine(evaluation(guess, one, from), evaluation(guess, other, from));
  if (keys === null) return null;
  const shares = [one, other].map((place) => {
    expect(keys.tagFor(place)).toEqual(recordOf(place, from).unlockTag);
    return { place, value: keys.openShare(place, recordOf(place, from).sealedShare) ?? new Uint8Array() };
  });
  const [first = { place: 0, value: new Uint8Array() }, second = first] = shares;
  return keys.openKeys(first, second, recordOf(one, from).sealedKeys);
}

const pairs = [
  [1, 2],
  [1, 3],
  [2, 3],
  [3, 1],
] as const;

describe('any two of the three realms', () => {
  test.each(pairs)('%i and %i return the private keys for the right code', (one, other) => {
    expect(recover(code, one, other)).toEqual(privateKeys);
  });

  test.each(pairs)('%i and %i return nothing for a wrong code', (one, other) => {
    expect(recover('482914', one, other)).toBeNull();
  });

  test('return the private keys for any code, keys and account', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        text,
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.constantFrom(...pairs),
        (pin, keys, pair) => {
          const made = enroll({ ...enrolment, stretched: quick(pin), privateKeys: keys }, randomBytes);
          expect(recover(pin, pair[0], pair[1], made)).toEqual(Buffer.from(keys));
          expect(recover(`${pin}.`, pair[0], pair[1], made)).toBeNull();
        },
      ),
      { numRuns: repetitions(8, 25) },
    );
  });
});

describe('one realm', () => {
  test.each([1, 2, 3])('%i cannot distinguish the right code from others with its stored data', (place) => {
    // Makes every offline guess, with the share in the place of the key or of both evaluations.
    const stolen = recordOf(place);
    for (let number = 0; number < repetitions(6, 20); number++) {
      const guessed = number === 0 ? code : String(100_000 + number);
      const { input, seed } = splitStretched(quick(guessed));
      const guess = new Guess(enrolment, quick(guessed), randomBytes);
      const { blind, blinded } = oprf.blind(input, randomBytes);
      const outputs = [oprf.finalize(input, blind, oprf.evaluate(stolen.oprfKeyShare, blinded)), input, seed];
      for (const output of outputs) {
        const keys = new UnlockKeys(enrolment, seed, output);
        expect(keys.commitment.equals(stolen.commitment)).toBe(false);
        expect(unlockTag(output, place).equals(stolen.unlockTag)).toBe(false);
        expect(keys.openShare(place, stolen.sealedShare)).toBeNull();
      }
      for (const other of [1, 2, 3].filter((mine) => mine !== place)) {
        const mine = evaluation(guess, place);
        expect(guess.combine(mine, { ...mine, place: other })).toBeNull();
      }
    }
  });

  test('has a share that fits every key, so that no key is likelier than another', () => {
    // The line through the share and any key at 0 is another sharing of that key with the same share.
    const share = recordOf(2).oprfKeyShare;
    for (let number = 0; number < repetitions(6, 20); number++) {
      const other = randomBytes(32);
      other[31] = 0;
      const key = combineScalars({ place: 2, value: share }, { place: 3, value: other });
      expect(Buffer.from(key).equals(Buffer.from(share))).toBe(false);
      const { input } = splitStretched(quick(code));
      const { blind, blinded } = oprf.blind(input, randomBytes);
      const output = oprf.finalize(input, blind, oprf.evaluate(key, blinded));
      expect(new UnlockKeys(enrolment, input, output).commitment.equals(recordOf(2).commitment)).toBe(false);
    }
  });

  test('that sends a wrong response is detected, for every kind of response', () => {
    const guess = new Guess(enrolment, quick(code), randomBytes);
    const [one, two, three] = [evaluation(guess, 1), evaluation(guess, 2), evaluation(guess, 3)];
    const lies: Evaluation[] = [
      { ...one, evaluated: two.evaluated },
      { ...one, evaluated: randomBytes(32) },
      { ...one, evaluated: new Uint8Array(32) },
      { ...one, evaluated: new Uint8Array(5) },
      { ...one, commitment: randomBytes(32) },
      { ...one, commitment: new Uint8Array() },
    ];
    for (const lie of lies) {
      expect(guess.combine(lie, two)).toBeNull();
      expect(guess.combine(three, lie)).toBeNull();
    }
    const keys = guess.combine(two, three);
    if (keys === null) throw new Error('two honest realms did not suffice');
    const sealed = Buffer.from(recordOf(2).sealedShare);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(keys.openShare(2, changed)).toBeNull();
    }
    expect(keys.openShare(2, recordOf(3).sealedShare)).toBeNull();
    expect(keys.openShare(2, sealed.subarray(0, 10))).toBeNull();
  });
});

test('shares that are not scalars open no keys', () => {
  const guess = new Guess(enrolment, quick(code), randomBytes);
  const keys = guess.combine(evaluation(guess, 1), evaluation(guess, 2));
  if (keys === null) throw new Error('two honest realms did not suffice');
  const share = { place: 1, value: keys.openShare(1, recordOf(1).sealedShare) ?? new Uint8Array() };
  for (const value of [Buffer.alloc(0), Buffer.alloc(31), Buffer.alloc(33), Buffer.alloc(32, 0xff)]) {
    expect(keys.openKeys(share, { place: 2, value }, recordOf(1).sealedKeys)).toBeNull();
    expect(keys.openKeys({ place: 2, value }, share, recordOf(1).sealedKeys)).toBeNull();
  }
});

test('records are valid for their own account and version only', () => {
  for (const other of [
    { ...enrolment, accountId: '1234567891' },
    { ...enrolment, version: 'cd'.repeat(16) },
  ]) {
    const guess = new Guess(other, quick(code), randomBytes);
    expect(guess.combine(evaluation(guess, 1), evaluation(guess, 2))).toBeNull();
  }
});

test('a wiped guess does not contain the stretched code', () => {
  const stretched = Buffer.from(quick(code));
  const guess = new Guess(enrolment, stretched, randomBytes);
  guess.wipe();
  expect(stretched).toEqual(Buffer.alloc(64));
});

describe('stretching', () => {
  const cost = { iterations: 1, memorySize: 1024, parallelism: 1 };

  test('depends on the code, the account and the version', async () => {
    const stretcher = new KeyStretcher({ cost });
    const [first, again, ...others] = await Promise.all([
      stretcher.stretch(code, enrolment),
      stretcher.stretch('４８２９１３', enrolment),
      stretcher.stretch('482914', enrolment),
      stretcher.stretch(code, { ...enrolment, accountId: '1' }),
      stretcher.stretch(code, { ...enrolment, version: '1' }),
    ]);
    expect(first).toHaveLength(64);
    expect(again).toEqual(first);
    for (const other of others) expect(other).not.toEqual(first);
    await stretcher.close();
  });

  test('does not block the event loop', async () => {
    const stretcher = new KeyStretcher();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await Promise.all([stretcher.stretch('1', enrolment), stretcher.stretch('2', enrolment)]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
    await stretcher.close();
  });

  test('works while its idle thread is being ended', async () => {
    const idleMs = 20;
    const own = new KeyStretcher({ threads: 1, idleMs, cost });
    for (const pauseMs of [idleMs, idleMs, idleMs + 1, idleMs + 5]) {
      expect(await own.stretch(code, enrolment)).toHaveLength(64);
      // Waits as long as the thread's own timer, which was set earlier, so the timer has fired but the thread has not exited.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    expect(await own.stretch(code, enrolment)).toHaveLength(64);
    await own.close();
  });

  test('ends waiting calls when it is closed', async () => {
    const closing = new KeyStretcher({ cost });
    const waiting = [1, 2, 3, 4].map((number) => closing.stretch(String(number), enrolment));
    const ended = Promise.allSettled(waiting);
    await closing.close();
    expect((await ended).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
  });
});
