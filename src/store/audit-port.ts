import type { AuditAction, AuditAuthor, AuditSubject } from '../shared/model/audit.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';

/** A change of an account, for its audit log. It contains no secret. */
export interface AuditEntry {
  id: string;
  account: string;
  at: number;
  action: AuditAction;
  by: AuditAuthor;
  subject: AuditSubject;
  /** Further facts by name. */
  details: Readonly<Record<string, string>>;
}

export interface AuditMark {
  at: number;
  id: string;
}

/**
 * Reads audit logs. The methods that change an account take an entry. They store it in the same transaction as the change, and only if
 * something changes. An entry is deleted after `auditTtlMs`, or when its account has `maxAuditEntries` newer ones.
 */
export interface AuditStore {
  /** Returns at most `limit` entries, newest first, then by id in descending order. If `after` is given, the list begins after it. */
  list(account: string, limit: number, after?: AuditMark): Promise<AuditEntry[]>;
}

/** The time in milliseconds for which entries are stored: 400 days. */
export const auditTtlMs = 400 * 86_400_000;
export const maxAuditEntries = 10_000;

/** The number of entries that each runtime has created. */
const created = new WeakMap<Runtime, number>();

/** Creates the entry of a change that is about to be made now. Pass it to the method of the store that makes the change. */
export function auditEntryOf(
  runtime: Runtime,
  change: Omit<AuditEntry, 'id' | 'at' | 'details'> & { details?: AuditEntry['details'] },
): AuditEntry {
  // Entries of the same millisecond are listed in the order of their ids.
  const earlier = created.get(runtime) ?? 0;
  created.set(runtime, earlier + 1);
  const order = (earlier % 2 ** 32).toString(16).padStart(8, '0');
  const id = `aud_${order}${runtime.randomBytes(11).toString('hex')}`;
  return { id, at: runtime.now(), ...change, details: change.details ?? {} };
}
