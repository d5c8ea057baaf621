import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { AccountMutex } from './account-mutex.ts';
import type { ServerClock } from './clock.ts';
import type { Collections } from './collections.ts';
import type { MongoLink } from './link.ts';
import type { Sessions } from './sessions.ts';
import type { Transact } from './transaction.ts';

/** What the verbs are made of. */
export interface Parts {
  link: MongoLink;
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
