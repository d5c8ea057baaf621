import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';

/** Messages for error codes of MongoDB (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml). */
const knownErrors: Readonly<Record<number, readonly [detail: string, advice?: string]>> = {
  13: ['MongoDB does not allow it', 'give the user of MONGODB_URL the role readWrite on the database'],
  18: ['MongoDB refuses the user or the password of MONGODB_URL'],
  50: ['MongoDB took too long'],
  64: ['A majority of the replica set did not confirm the write in time'],
  100: ['A majority of the replica set cannot confirm writes', 'bring its other members back'],
  112: ['Too many writers wanted the same document at once'],
  14031: ['The disk of MongoDB is full', 'free some space on it'],
};

/** Returns true if a write failed because its key already exists. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}

/** Returns true if the whole transaction can be retried, because nothing of it was applied. */
export function isTransient(error: unknown): boolean {
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
}

/** Returns true for an error of Node, such as EPIPE. The driver does not wrap all errors of a socket. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  return 'syscall' in error || ('code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code));
}

/**
 * Converts an error of the driver to a `StoreUnavailableError`. The adapter sends nothing that a working database refuses, so every error
 * of the driver means that the database is unavailable or that the outcome is unknown. Other errors are returned unchanged. The driver's
 * messages contain hosts, but never the credentials of the URL.
 */
export function translateMongoError(error: unknown): unknown {
  if (isSystemError(error)) {
    return new StoreUnavailableError(`The connection to MongoDB failed: ${error.message}`, { cause: error });
  }
  if (!(error instanceof MongoError) || isDuplicate(error)) return error;
  return new StoreUnavailableError(explain(error), { cause: error });
}

function explain(error: MongoError): OperatorProblem | string {
  if (error instanceof MongoServerError && typeof error.code === 'number') {
    const known = knownErrors[error.code];
    if (known) return { detail: `${known[0]} (code ${error.code})`, advice: known[1] ?? null };
    return `MongoDB reported an error: ${error.message} (code ${error.code})`;
  }
  if (error instanceof MongoServerSelectionError) return 'MongoDB has no reachable primary';
  if (error instanceof MongoNetworkError) return `The connection to MongoDB failed: ${error.message}`;
  return `MongoDB cannot be used now: ${error.message}`;
}
