import type { GuessAnswer, PlatformRealm, UnlockAnswer } from '../../platform/realms-port.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Evaluation, Guess } from '../encryption/recovery/guess.ts';
import type { UnlockKeys } from '../encryption/recovery/keys.ts';
import type { EnrolmentState } from './enrolment-state.ts';
import { type Answered, type Gathered, gather } from './gather.ts';
import { noGuessesLeft, tooFewRealms, wrongCode } from './refusals.ts';

export interface AttemptParts {
  readonly standing: Extract<EnrolmentState, { kind: 'enrolled' }>;
  readonly guess: Guess;
  readonly runtime: Runtime;
  /** Told of what goes on after the answer is known. */
  readonly goesOn: (work: Promise<unknown>) => void;
}

/** How long two realms may take before the third is asked for a guess as well. */
const patienceMs = 1_000;

/**
 * The second and the third step: the private keys, for the right code. Two realms are asked, the third only where one of them
 * fails, lies or dawdles, or the code seems to be wrong: then either it is, or one of the two lied, which the third tells
 * apart, and a wrong code counts as a guess at all three.
 */
export async function attempt(parts: AttemptParts): Promise<Uint8Array> {
  const { standing, guess, runtime } = parts;
  const guessed = await gather({
    realms: standing.realms,
    runtime,
    ask: (realm) => realm.guess(standing.version, guess.blindedElement),
    conclude: (answers) => combined(guess, answers),
    atOnce: 2,
    patienceMs,
  });
  if (guessed.result === undefined) throw refusal(parts, guessed);
  const keys = guessed.result;
  const opened = await gather({
    realms: standing.realms,
    runtime,
    // All of them, so that each forgets the guesses; one that still counts the last of them, once it has.
    ask: async (realm) => {
      await guessed.underWay.get(realm);
      return realm.unlock(standing.version, keys.tagFor(realm.place));
    },
    conclude: (answers) => unsealed(keys, answers),
    atOnce: standing.realms.length,
    patienceMs: 60_000,
  });
  parts.goesOn(Promise.all(opened.underWay.values()).then(() => keys.wipe()));
  if (opened.result === undefined) throw tooFewRealms(opened.errors);
  return opened.result;
}

function evaluationsOf(answers: readonly Answered<GuessAnswer>[]): Evaluation[] {
  return answers.flatMap(({ realm, answer }) =>
    answer.kind === 'evaluated' ? [{ place: realm.place, ...answer }] : [],
  );
}

function combined(guess: Guess, answers: readonly Answered<GuessAnswer>[]): UnlockKeys | undefined {
  const evaluations = evaluationsOf(answers);
  for (const [index, one] of evaluations.entries()) {
    for (const other of evaluations.slice(index + 1)) {
      const keys = guess.combine(one, other);
      if (keys !== null) return keys;
    }
  }
  return undefined;
}

function unsealed(keys: UnlockKeys, answers: readonly Answered<UnlockAnswer>[]): Uint8Array | undefined {
  const shares = answers.flatMap(({ realm: { place }, answer }) => {
    const value = answer.kind === 'unlocked' ? keys.openShare(place, answer.sealedShare) : null;
    return value === null || answer.kind !== 'unlocked' ? [] : [{ place, value, sealedKeys: answer.sealedKeys }];
  });
  const [one, other] = shares;
  if (one === undefined || other === undefined) return undefined;
  let opened: Uint8Array | null = null;
  for (const { sealedKeys } of shares) opened ??= keys.openKeys(one, other, sealedKeys);
  for (const { value } of shares) value.fill(0);
  return opened ?? undefined;
}

function refusal(parts: AttemptParts, { answers, errors }: Gathered<GuessAnswer, UnlockKeys>): Error {
  const evaluations = answers.flatMap(({ answer }) => (answer.kind === 'evaluated' ? [answer] : []));
  const locked = answers.filter(({ answer }) => answer.kind === 'locked').length;
  if (locked >= 2) return noGuessesLeft();
  // Two that name different commitments are no two that can be believed.
  if (!evaluations.some((one, index) => evaluations.slice(index + 1).some((other) => agree(one, other)))) {
    return tooFewRealms(errors);
  }
  // Two are needed, so the second best is what remains.
  const [, remaining = 0] = evaluations.map(({ guessesRemaining }) => guessesRemaining).sort((a, b) => b - a);
  if (remaining === 0 && evaluations.length === parts.standing.realms.length) parts.goesOn(giveUp(parts));
  return wrongCode(remaining);
}

function agree(one: { readonly commitment: Uint8Array }, other: { readonly commitment: Uint8Array }): boolean {
  return Buffer.compare(one.commitment, other.commitment) === 0;
}

/** No guess remains, and all three evaluated a wrong code: the realms are told, so that they destroy their shares at once. */
function giveUp({ standing: { realms, version }, runtime }: AttemptParts): Promise<unknown> {
  const tell = (realm: PlatformRealm) => realm.unlock(version, runtime.randomBytes(32));
  return Promise.allSettled(realms.map(tell));
}
