import { PosternError } from '../../shared/errors/postern-error.ts';

const field = 'encryption_code';

export function wrongCode(guessesRemaining: number): PosternError {
  if (guessesRemaining < 1) return noGuessesLeft();
  return new PosternError('forbidden', `Wrong encryption_code: ${guessesRemaining} guesses remaining`, { field });
}

export function noGuessesLeft(): PosternError {
  return new PosternError('locked', 'No guesses of encryption_code remain: these chat keys are gone for good', {
    field,
  });
}

export function noChatKeys(): PosternError {
  return new PosternError('conflict', 'The account has no chat keys');
}

export function hasChatKeys(): PosternError {
  return new PosternError('conflict', 'The account has chat keys already');
}

export function tooManyWrongCodes(retryAfterSeconds: number): PosternError {
  const message = `Too many wrong encryption_codes for this account: wait ${retryAfterSeconds} s`;
  return new PosternError('rate_limited', message, { retryAfterSeconds, field });
}

/** What the realms said instead, where that explains it better: a token that is refused, or a proxy that all of them failed by. */
export function tooFewRealms(errors: readonly PosternError[]): PosternError {
  const [first, ...more] = errors;
  const telling = errors.find(({ code }) => code === 'forbidden' || code === 'rate_limited');
  if (telling !== undefined) return telling;
  const byProxy =
    first?.message.includes('proxy') && more.length > 0 && more.every((error) => error.message === first.message);
  if (first !== undefined && byProxy) return first;
  return new PosternError('unavailable', 'Too few key realms are reachable: two of three are needed', { cause: first });
}

export function isWrongCode(error: unknown): boolean {
  if (!(error instanceof PosternError) || error.field !== field) return false;
  return error.code === 'forbidden' || error.code === 'locked';
}
