import type { PosternError } from '../errors/postern-error.ts';
import type { Logger } from './logger.ts';

/**
 * Logs the cause of an error that is not the caller's mistake. Refusals (4xx, and 503 without a cause) are not logged here, because the log
 * line of the request contains their reason.
 */
export function logFailure(
  logger: Logger,
  requestId: string,
  { code, reason, status, message, cause }: PosternError,
): void {
  if (status < 500 || (code === 'unavailable' && cause === undefined)) return;
  // `StoreFailureLog` already logs that the store is unavailable once, so each refused call is logged at `info` only.
  const level = code === 'internal' ? 'error' : code === 'unavailable' ? 'info' : 'warn';
  logger[level]({ requestId, code, reason, err: cause }, message);
}
