import type { PosternError } from '../errors/postern-error.ts';
import type { Logger } from './logger.ts';

/**
 * Logs the cause of an error that is not the caller's. The line of the request has the rest, so a refusal (4xx, or 503 without a
 * cause) needs no line of its own.
 */
export function logFailure(
  logger: Logger,
  requestId: string,
  { code, reason, status, message, cause }: PosternError,
): void {
  if (status < 500 || (code === 'unavailable' && cause === undefined)) return;
  // What is wrong with the store is told once (`StoreTrouble`), not for every call that it refuses.
  const level = code === 'internal' ? 'error' : code === 'unavailable' ? 'info' : 'warn';
  logger[level]({ requestId, code, reason, err: cause }, message);
}
