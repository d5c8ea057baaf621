import type { Runtime } from '../../shared/runtime/runtime.ts';
import { liveRange } from '../expiry.ts';
import type { AccountMutex } from './account-mutex.ts';
import type { ServerClock } from './clock.ts';
import type { Collections } from './collections.ts';
import type { MongoConnection } from './connection.ts';
import type { Sessions } from './sessions.ts';
import type { Transact } from './transaction.ts';

/** The dependencies of the store's operations. */
export interface Parts {
  link: MongoConnection;
  collections: Collections;
  clock: ServerClock;
  sessions: Sessions;
  transact: Transact;
  turns: AccountMutex;
  runtime: Runtime;
}

export function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function toMs(date: Date | null): number | null {
  return date?.getTime() ?? null;
}

/** Returns the condition for the end of a live document, such as a lease. */
export function live(now: number, ttlMs: number): { $gt: Date; $lte: Date } {
  const { after, latest } = liveRange(now, ttlMs);
  return { $gt: new Date(after), $lte: new Date(latest) };
}

/** Returns the conditions of which one holds for the end of an expired document. */
export function expired(now: number, ttlMs: number): [{ $lte: Date }, { $gt: Date }] {
  const { $gt, $lte } = live(now, ttlMs);
  return [{ $lte: $gt }, { $gt: $lte }];
}
