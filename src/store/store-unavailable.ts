import { PosternError } from '../shared/errors/postern-error.ts';
import { StoreUnavailableError } from './port.ts';

/**
 * Converts a `StoreUnavailableError` to an error for the caller. `what` describes the failed operation, such as `API keys cannot be
 * checked`.
 */
export async function orStoreUnavailable<T>(asking: Promise<T>, what: string): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new PosternError('store_away', `The store is unavailable, so ${what}. Retry shortly`, {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
}
