import type { ClientSession, Filter } from 'mongodb';
import { type AuditEntry, type AuditStore, auditTtlMs, maxAuditEntries } from '../port.ts';
import type { AuditDocument } from './collections.ts';
import type { Parts } from './parts.ts';

const newestFirst = { at: -1, _id: -1 } as const;

export function mongoAudit({ link, clock, collections: { audit } }: Parts): AuditStore {
  return {
    list: (account, limit, after) =>
      link.run(async () => {
        // The driver would interpret a limit of 0 as no limit.
        if (limit <= 0) return [];
        const filter: Filter<AuditDocument> = { account, expiresAt: { $gt: new Date(await clock.recent()) } };
        if (after) filter.$or = olderThan(new Date(after.at), after.id);
        const found = await audit.find(filter, { sort: newestFirst, limit }).toArray();
        return found.map(({ _id: id, v, expiresAt, at, ...entry }) => ({ id, at: at.getTime(), ...entry }));
      }),
  };
}

/**
 * Stores an entry, and deletes the oldest entries of its account beyond `maxAuditEntries`. Must be called in the transaction of the
 * change.
 */
export async function addAudit(
  { collections: { audit } }: Pick<Parts, 'collections'>,
  session: ClientSession,
  entry: AuditEntry | undefined,
): Promise<void> {
  if (!entry) return;
  const { id: _id, at, ...rest } = entry;
  const { account } = entry;
  // If it is unknown whether a change was applied, the change is repeated with the same entry. The entry may then exist already.
  const document = { v: 1 as const, at: new Date(at), expiresAt: new Date(at + auditTtlMs), ...rest };
  await audit.replaceOne({ _id, account }, document, { session, upsert: true });
  const [last] = await audit
    .find({ account }, { session, sort: newestFirst, skip: maxAuditEntries, limit: 1 })
    .toArray();
  if (last) await audit.deleteMany({ account, $or: [{ _id: last._id }, ...olderThan(last.at, last._id)] }, { session });
}

function olderThan(at: Date, id: string): Filter<AuditDocument>[] {
  return [{ at: { $lt: at } }, { at, _id: { $lt: id } }];
}
