import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';

const field = 'encryption_code';

export function wrongCode(guessesRemaining: number): PosternError {
  if (guessesRemaining < 1) return noGuessesLeft();
  const message = `Wrong encryption_code: ${guessesRemaining} guesses remaining`;
  return new PosternError('wrong_encryption_code', message, { field });
}

export function noGuessesLeft(): PosternError {
  const message = 'No guesses of encryption_code remain: these chat keys are gone for good';
  return new PosternError('no_guesses_left', message, { field });
}

export function noChatKeys(): PosternError {
  return new PosternError('chat_keys_missing', 'The account has no chat keys');
}

/** For example, because an enrolment ended between its two steps. */
export function lostChatKeys(): PosternError {
  const message =
    'The private chat keys of the account are at none of its key realms: POST /v1/dm/enroll with replace_keys makes new ones';
  return new PosternError('chat_keys_missing', message);
}

export function replacedChatKeys(): PosternError {
  const message =
    'The chat keys were replaced by another enrolment at the same time: repeat the call with replace_keys';
  return new PosternError('chat_keys_exist', message);
}

export function hasChatKeys(): PosternError {
  return new PosternError('chat_keys_exist', 'The account has chat keys already');
}

export function tooManyWrongCodes(retryAfterSeconds: number): PosternError {
  const message = `Too many wrong encryption_codes for this account: wait ${retryAfterSeconds} s`;
  return new PosternError('wrong_code_limit', message, { retryAfterSeconds, field });
}

const proxyReasons: ReadonlySet<ErrorReason> = new Set([
  'proxy_failed',
  'proxy_timeout',
  'proxy_paused',
  'proxy_unreadable',
]);

/** Returns the error for an enrolment that has published the public keys. */
export function allRealmsNeeded(errors: readonly PosternError[]): PosternError {
  const message =
    'Too few key realms are reachable: all are needed to enroll. Repeat the call soon, or later with replace_keys';
  return tooFewRealms(errors, message);
}

const twoNeeded = 'Too few key realms are reachable: two of three are needed';

/**
 * Chooses the error to return if fewer than two realms responded. `forbidden` or `rate_limited` from any realm, or a
 * proxy error of all requests, is returned as it is, because it is more specific than `unavailable`.
 */
export function tooFewRealms(errors: readonly PosternError[], message = twoNeeded): PosternError {
  const [first] = errors;
  const telling = errors.find(({ code }) => code === 'forbidden' || code === 'rate_limited');
  if (telling !== undefined) return telling;
  if (first !== undefined && errors.length > 1 && errors.every(({ reason }) => proxyReasons.has(reason))) return first;
  return new PosternError('realms_unreachable', message, { cause: first });
}

export function isWrongCode(error: unknown): boolean {
  if (!(error instanceof PosternError)) return false;
  return error.reason === 'wrong_encryption_code' || error.reason === 'no_guesses_left';
}
