import { type AnyBulkWriteOperation, type ClientSession, Long } from 'mongodb';
import {
  type Applied,
  applyCommit,
  dayMs,
  hasCountedAnswer,
  type KeyUse,
  keptHours,
  lowCreditAfter,
  lowCreditId,
  lowCreditType,
} from '../ledger-rules.ts';
import { type CommitOutcome, commitTtlMs, holdTtlMs, idempotencyTtlMs, type LedgerCommit } from '../port.ts';
import { lockAccount, saveCredit } from './account-lock.ts';
import { type CommitDocument, type IdempotencyDocument, idOf, type UsageDocument } from './collections.ts';
import { isDuplicate } from './errors.ts';
import { unclaimed } from './idempotency.ts';
import type { Parts } from './parts.ts';

/** Thrown inside a transaction to roll it back, because the commit was already applied. */
class KnownCommit extends Error {}

/**
 * Returns a function that applies a commit in one transaction. If the commit was already applied, a second transaction reads its outcome.
 */
export function mongoCommit(parts: Parts): (commit: LedgerCommit) => Promise<CommitOutcome> {
  const { transact, runtime, collections } = parts;
  const { holds, accountEvents, usage, commits, idempotency, keptResponses, keyCharges } = collections;

  /**
   * Returns the stored outcome of a commit. An outcome after its expiry does not count, but must not allow the commit to be applied again.
   */
  async function kept(
    session: ClientSession,
    { id, account }: LedgerCommit,
    now: number,
  ): Promise<CommitOutcome | null> {
    const known = await commits.findOne({ _id: id, account }, { session });
    if (!known) return null;
    if (now - known.at.getTime() > commitTtlMs) return { status: 'expired' };
    const { granted, settled, late, left } = known;
    return { status: 'applied', granted, settled, late, left: Number(left) };
  }

  /** Returns the documents of the commit's idempotency keys that have not expired. */
  async function keysOf(session: ClientSession, { account, settle, late }: LedgerCommit, now: number) {
    const keys = new Set([...settle, ...late].flatMap(({ answer }) => (answer ? [answer.key] : [])));
    if (keys.size === 0) return new Map<string, IdempotencyDocument>();
    const ids = [...keys].map((key) => idOf(account, key));
    const found = await idempotency.find({ _id: { $in: ids }, account }, { session }).toArray();
    const live = found.filter(({ expiresAt }) => expiresAt.getTime() > now);
    return new Map(live.map((one) => [one.key, one]));
  }

  async function keptBytesOf(session: ClientSession, account: string, now: number): Promise<number> {
    const hours = await keptResponses.find({ account, hour: { $gte: keptHours(now).first } }, { session }).toArray();
    return hours.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  }

  async function useOf(session: ClientSession, { account, budget }: LedgerCommit): Promise<KeyUse | null> {
    if (!budget) return null;
    const { key } = budget;
    const charges = await keyCharges.findOne({ _id: idOf(account, key), account }, { session });
    const held = await holds.find({ account, key }, { session }).toArray();
    return {
      charges: charges && { day: charges.day, micros: Number(charges.micros) },
      open: held.reduce((sum, { open }) => sum + Number(open), 0),
    };
  }

  async function attempt(session: ClientSession, commit: LedgerCommit): Promise<CommitOutcome> {
    const account = await lockAccount(parts, session, commit.account);
    if (!account) return { status: 'no_account' };
    const { now, credit, lowCreditThreshold } = account;
    const holdId = idOf(commit.account, commit.writer, commit.generation);
    const hold = await holds.findOne({ _id: holdId, account: commit.account }, { session });
    const keys = await keysOf(session, commit, now);
    const answered = new Set([...keys].flatMap(([key, { answer }]) => (answer === null ? [] : [key])));
    const use = await useOf(session, commit);
    const keptBytes = hasCountedAnswer(commit) ? await keptBytesOf(session, commit.account, now) : 0;
    // An applied commit may have ended its hold. A repeated commit then fails because its hold does not exist.
    let applied: ReturnType<typeof applyCommit>;
    try {
      applied = applyCommit(credit, hold && Number(hold.open), commit, answered, now, use, keptBytes);
    } catch (error) {
      const known = await kept(session, commit, now);
      if (known) return known;
      throw error;
    }
    if (applied.status !== 'applied') return (await kept(session, commit, now)) ?? { status: applied.status };

    await saveCredit(parts, session, commit.account, credit, applied.credit);
    if (applied.open > 0) {
      const set = {
        v: 1 as const,
        account: commit.account,
        open: Long.fromNumber(applied.open),
        until: new Date(now + holdTtlMs),
        ...(commit.budget && { key: commit.budget.key }),
      };
      await holds.updateOne({ _id: holdId, account: commit.account }, { $set: set }, { session, upsert: true });
    } else if (hold) {
      await holds.deleteOne({ _id: holdId, account: commit.account }, { session });
    }
    const counts = usageUpdates(commit.account, applied);
    if (counts.length > 0) await usage.bulkWrite(counts, { session, ordered: true });
    if (commit.budget && applied.keyCharges) {
      const { day, micros } = applied.keyCharges;
      const set = { v: 1 as const, day, micros: Long.fromNumber(micros), expiresAt: new Date((day + 2) * dayMs) };
      const filter = { _id: idOf(commit.account, commit.budget.key), account: commit.account };
      await keyCharges.updateOne(filter, { $set: set }, { session, upsert: true });
    }
    const answers = applied.answers.map(({ key, answer }): AnyBulkWriteOperation<IdempotencyDocument> => {
      const revision = runtime.randomBytes(9).toString('base64url');
      const after = { ...(keys.get(key) ?? unclaimed(commit.account, key, now, '')), answer, revision };
      const filter = { _id: after._id, account: commit.account };
      return { replaceOne: { filter, replacement: after, upsert: true } };
    });
    if (answers.length > 0) await idempotency.bulkWrite(answers, { session, ordered: true });
    if (applied.keptBytes > 0) {
      const { hour } = keptHours(now);
      const filter = { _id: idOf(commit.account, hour), account: commit.account };
      const $set = { v: 1 as const, hour, expiresAt: new Date(now + 2 * idempotencyTtlMs) };
      const $inc = { bytes: Long.fromNumber(applied.keptBytes) };
      await keptResponses.updateOne(filter, { $set, $inc }, { session, upsert: true });
    }
    await saveOutcome(session, commit, applied, now);
    const low = lowCreditAfter(credit, applied.credit, lowCreditThreshold);
    if (low !== null && lowCreditThreshold !== null) {
      const amounts = { credit: Long.fromNumber(low), threshold: Long.fromNumber(lowCreditThreshold) };
      const about = { account: commit.account, type: lowCreditType, at: new Date(now), sealed: null, amounts };
      await accountEvents.insertOne({ _id: lowCreditId(commit), v: 1, ...about }, { session });
    }
    const { granted, settled, late, left } = applied;
    return { status: 'applied', granted, settled, late, left };
  }

  async function saveOutcome(session: ClientSession, { id, account }: LedgerCommit, applied: Applied, now: number) {
    const { granted, settled, late, left } = applied;
    const outcome: CommitDocument = {
      _id: id,
      v: 1,
      account,
      at: new Date(now),
      expiresAt: new Date(now + commitTtlMs),
      granted,
      settled,
      late,
      left: Long.fromNumber(left),
    };
    try {
      await commits.insertOne(outcome, { session });
    } catch (error) {
      if (isDuplicate(error)) throw new KnownCommit('the commit was already applied', { cause: error });
      throw error;
    }
  }

  return async (commit) => {
    try {
      return await transact((session) => attempt(session, commit), commit.account);
    } catch (error) {
      if (!(error instanceof KnownCommit)) throw error;
    }
    // The outcome is read in a transaction, because a transaction waits until a majority has the data that it read, and the earlier attempt
    // may not be replicated yet.
    return transact(async (session) => {
      const now = await parts.clock.recent();
      return (await kept(session, commit, now)) ?? { status: 'expired' };
    });
  };
}

function usageUpdates(account: string, { usage }: Applied): AnyBulkWriteOperation<UsageDocument>[] {
  return usage.map(({ hour, action, calls, micros, platformMicros = 0 }) => ({
    updateOne: {
      filter: { _id: idOf(account, hour, action), account },
      update: {
        $inc: {
          calls: Long.fromNumber(calls),
          micros: Long.fromNumber(micros),
          platformMicros: Long.fromNumber(platformMicros),
        },
        $setOnInsert: { v: 1, hour, action },
      },
      upsert: true,
    },
  }));
}
