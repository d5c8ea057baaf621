import type { PosternError } from '../errors/postern-error.ts';
import type { Logger } from './logger.ts';

/**
 * Logs the cause of an error that the caller did not cause. A refusal (4xx, or 503 without a cause) is not logged here, because the
 * line of the request has its reason.
 */
export function logFailure(
  logger: Logger,
  requestId: string,
  { code, reason, status, message, cause }: PosternError,
): void {
  if (status < 500 || (code === 'unavailable' && cause === undefined)) return;
  // `StoreTrouble` logs a failure of the store once, not for every refused call.
  const level = code === 'internal' ? 'error' : code === 'unavailable' ? 'info' : 'warn';
  logger[level]({ requestId, code, reason, err: cause }, message);
}
