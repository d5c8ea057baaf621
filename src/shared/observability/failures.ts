import type { Logger } from './logger.ts';

/** What a face is about to tell its caller. */
interface Failure {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly cause?: unknown;
}

/** Logs what went wrong on our side, or on the platform's, with its cause; refusals are the caller's affair. */
export function logFailure(logger: Logger, requestId: unknown, { code, status, message, cause }: Failure): void {
  if (status < 500) return;
  // What is wrong with the store is told once (`StoreTrouble`), not for every call that it refuses.
  const level = code === 'internal' ? 'error' : code === 'unavailable' ? 'info' : 'warn';
  logger[level]({ requestId, code, err: cause }, message);
}
