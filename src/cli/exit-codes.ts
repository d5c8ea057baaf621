import type { ErrorCode } from '../shared/errors/table.ts';

/** The exit code of each class of failure, for all commands. */
export const failures = {
  failed: { exitCode: 1, about: 'any other failure; `postern doctor` has found a problem' },
  usage: { exitCode: 2, about: 'the command, its input or a setting is wrong' },
  refused: { exitCode: 3, about: 'the API key, the token or the encryption code is refused, or does not allow this' },
  credit: { exitCode: 4, about: 'the credit of the account, or the budget of the key, does not cover the call' },
  not_found: { exitCode: 5, about: 'the resource does not exist' },
  limited: { exitCode: 6, about: 'a rate limit was reached: try again later' },
  unavailable: { exitCode: 7, about: 'the service or the platform failed, or cannot be reached: try again later' },
  conflict: { exitCode: 8, about: 'the present state does not allow the call' },
  not_supported: { exitCode: 9, about: 'the connected platform does not have this function' },
} as const;

export type Failure = keyof typeof failures;

const failureOfCode: Readonly<Record<ErrorCode, Failure>> = {
  bad_input: 'usage',
  too_costly: 'usage',
  unauthenticated: 'refused',
  insufficient_credits: 'credit',
  forbidden: 'refused',
  not_found: 'not_found',
  method_not_allowed: 'usage',
  request_timeout: 'unavailable',
  conflict: 'conflict',
  too_large: 'usage',
  unsupported_media_type: 'usage',
  idempotency_mismatch: 'conflict',
  locked: 'refused',
  rate_limited: 'limited',
  headers_too_large: 'usage',
  internal: 'unavailable',
  not_supported: 'not_supported',
  platform_unavailable: 'unavailable',
  unavailable: 'unavailable',
  platform_timeout: 'unavailable',
};

/** Returns the class of an error code of the API. Other codes mean that there was no response of the service. */
export function failureOf(code: string | null): Failure {
  return code !== null && Object.hasOwn(failureOfCode, code) ? failureOfCode[code as ErrorCode] : 'unavailable';
}
