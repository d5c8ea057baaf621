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
  /** Receives promises of requests that continue after the result is known. */
  readonly inBackground: (work: Promise<unknown>) => void;
}

/** The time to wait for the first two realms before the guess is also sent to the third one. */
const thirdRealmDelayMs = 1_000;

/**
 * Performs the second and third step of a key recovery. Returns the private keys if the code is correct. The third
 * realm is asked only if one of the first two fails, is slow or sends a wrong result, or if the code seems to be wrong.
 * Its result then distinguishes a wrong code from a dishonest realm. A wrong code therefore costs a guess at all three
 * realms.
 */
export async function attemptRecovery(parts: AttemptParts): Promise<Uint8Array> {
  const { standing, guess, runtime } = parts;
  const guessed = await gather({
    realms: standing.realms,
    runtime,
    ask: (realm) => realm.guess(standing.version, guess.blindedElement),
    conclude: (answers) => combined(guess, answers),
    atOnce: 2,
    nextDelayMs: thirdRealmDelayMs,
  });
  if (guessed.result === undefined) throw refusal(parts, guessed);
  const keys = guessed.result;
  const opened = await gather({
    realms: standing.realms,
    runtime,
    // Send the tag to all realms, so that each resets its count of guesses. A realm that is still evaluating the guess
    // gets the tag later.
    ask: async (realm) => {
      await guessed.sent.get(realm);
      return realm.unlock(standing.version, keys.tagFor(realm.place));
    },
    conclude: (answers) => unsealed(keys, answers),
    atOnce: standing.realms.length,
    nextDelayMs: 60_000,
  });
  parts.inBackground(Promise.all(opened.sent.values()).then(() => keys.wipe()));
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
  // If no two realms have the same commitment, the results do not show whether the code is wrong.
  if (!evaluations.some((one, index) => evaluations.slice(index + 1).some((other) => agree(one, other)))) {
    return tooFewRealms(errors);
  }
  // A recovery needs two realms, so the second largest count is the number of guesses that remain.
  const [, remaining = 0] = evaluations.map(({ guessesRemaining }) => guessesRemaining).sort((a, b) => b - a);
  if (remaining === 0 && evaluations.length === parts.standing.realms.length) parts.inBackground(destroyShares(parts));
  return wrongCode(remaining);
}

function agree(one: { readonly commitment: Uint8Array }, other: { readonly commitment: Uint8Array }): boolean {
  return Buffer.compare(one.commitment, other.commitment) === 0;
}

/** Sends an invalid tag to all realms after the last guess was wrong, so that they destroy their shares immediately. */
function destroyShares({ standing: { realms, version }, runtime }: AttemptParts): Promise<unknown> {
  const tell = (realm: PlatformRealm) => realm.unlock(version, runtime.randomBytes(32));
  return Promise.allSettled(realms.map(tell));
}
