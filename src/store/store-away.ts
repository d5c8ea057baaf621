import { PosternError } from '../shared/errors/postern-error.ts';
import { StoreUnavailableError } from './port.ts';

/** Turns a store that is away into a refusal that a caller can read. `what` could not be done, such as `API keys cannot be checked`. */
export async function orStoreAway<T>(asking: Promise<T>, what: string): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new PosternError('store_away', `The store is away, so ${what}; ask again shortly`, {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
}
