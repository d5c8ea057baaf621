import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import type { Fault } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';

/** Codes of https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml with a text of ours. */
const knownFaults: Readonly<Record<number, readonly [detail: string, advice?: string]>> = {
  13: ['MongoDB does not allow it', 'give the user of MONGODB_URL the role readWrite on the database'],
  18: ['MongoDB refuses the user or the password of MONGODB_URL'],
  50: ['MongoDB took too long'],
  64: ['A majority of the replica set did not confirm the write in time'],
  100: ['A majority of the replica set cannot confirm writes', 'bring its other members back'],
  112: ['Too many writers wanted the same document at once'],
  14031: ['The disk of MongoDB is full', 'make room on it'],
};

/** A claim on a key of ours that exists already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}

/** Whether the whole transaction may be tried again: nothing of it was applied. */
export function isTransient(error: unknown): boolean {
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
}

/** Whether it came from the way to the server, which leaves open what the server did. */
export function isOfTheWay(error: unknown): boolean {
  if (error instanceof MongoError) return !(error instanceof MongoServerError);
  return isOfTheSystem(error);
}

/** Such as EPIPE: the driver lets some of a socket's own errors through. */
function isOfTheSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code);
}

/**
 * What the driver threw, as a `StoreUnavailableError`: the adapter sends nothing that a sound database refuses, so
 * whatever comes back means that it is away, or that the outcome is not known. Errors of ours stay what they are. The
 * driver's messages name hosts and never the credentials of the URL.
 */
export function translateError(error: unknown): unknown {
  if (isSystemError(error)) {
    return new StoreUnavailableError(`The connection to MongoDB failed: ${error.message}`, { cause: error });
  }
  if (isOfTheSystem(error)) {
    return new StoreUnavailableError(`The connection to MongoDB failed: ${error.code}`, { cause: error });
  }
  if (!(error instanceof MongoError) || isDuplicate(error)) return error;
  return new StoreUnavailableError(explain(error), { cause: error });
}

/** A connection that is reset while the driver writes to it leaves the driver as Node's own error. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function explain(error: MongoError): Fault | string {
  if (error instanceof MongoServerError && typeof error.code === 'number') {
    const known = knownFaults[error.code];
    if (known) return { detail: `${known[0]} (code ${error.code})`, advice: known[1] ?? null };
    return `MongoDB could not do it now: ${error.message} (code ${error.code})`;
  }
  if (error instanceof MongoServerSelectionError) return 'No primary of MongoDB can be reached';
  if (error instanceof MongoNetworkError) return `The connection to MongoDB failed: ${error.message}`;
  return `MongoDB cannot be used now: ${error.message}`;
}
