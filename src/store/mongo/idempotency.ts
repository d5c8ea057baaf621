import { hasExpired } from '../expiry.ts';
import { type ClaimOutcome, type ClaimRequest, claimTtlMs, type IdempotencyStore, idempotencyTtlMs } from '../port.ts';
import { type IdempotencyDocument, idOf } from './collections.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

/** Returns a document without a claim. No fingerprint matches it. */
export function unclaimed(account: string, key: string, now: number, revision: string): IdempotencyDocument {
  return {
    _id: idOf(account, key),
    v: 1,
    account,
    key,
    revision,
    since: new Date(now),
    expiresAt: new Date(now + idempotencyTtlMs),
    fingerprint: '',
    owner: '',
    until: new Date(0),
    again: false,
    answer: null,
  };
}

export function mongoIdempotency({ link, collections: { idempotency }, clock, runtime }: Parts): IdempotencyStore {
  const revision = () => runtime.randomBytes(9).toString('base64url');

  /**
   * Replaces the document `before` with `after`. `before` is `null` if there is no document yet. Returns false if another process was
   * faster.
   */
  async function swap(before: IdempotencyDocument | null, after: IdempotencyDocument): Promise<boolean> {
    if (before) {
      const filter = { _id: before._id, account: before.account, revision: before.revision };
      return (await idempotency.replaceOne(filter, after)).matchedCount === 1;
    }
    try {
      await idempotency.insertOne(after);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  const find = (account: string, key: string) => idempotency.findOne({ _id: idOf(account, key), account });

  async function claim(one: ClaimRequest): Promise<ClaimOutcome> {
    const { account, key, owner, fingerprints } = one;
    // The first attempt does not read, because most keys are new.
    let kept: IdempotencyDocument | null = null;
    for (;;) {
      const now = await clock.recent();
      const known = kept && kept.expiresAt.getTime() > now ? kept : null;
      const refusal = known && refuse(known, one, now);
      if (refusal) return refusal;
      const after: IdempotencyDocument = {
        ...(known ?? { ...unclaimed(account, key, now, ''), fingerprint: fingerprints[0] ?? '' }),
        revision: revision(),
        owner,
        until: new Date(now + claimTtlMs),
        again: known !== null && (known.owner !== owner || known.again),
      };
      if (await swap(kept, after)) {
        return { status: 'claimed', since: after.since.getTime(), fingerprint: after.fingerprint, again: after.again };
      }
      kept = await find(account, key);
    }
  }

  const owned = ({ account, key, owner }: { account: string; key: string; owner: string }) => ({
    _id: idOf(account, key),
    account,
    owner,
    answer: null,
  });

  return {
    claim: (one) => link.run(() => claim(one)),

    renew: (one) =>
      link.run(async () => {
        const until = new Date((await clock.recent()) + claimTtlMs);
        const { matchedCount } = await idempotency.updateOne(owned(one), { $set: { until, revision: revision() } });
        return matchedCount === 1;
      }),

    end: (one, how) =>
      link.run(async () => {
        if (how === 'forgotten') await idempotency.deleteOne(owned(one));
        else await idempotency.updateOne(owned(one), { $set: { until: new Date(0), revision: revision() } });
      }),

    answer: ({ account, key }, answer) =>
      link.run(async () => {
        for (;;) {
          const now = await clock.recent();
          const kept = await find(account, key);
          const known = kept && kept.expiresAt.getTime() > now ? kept : null;
          if (known && known.answer !== null) return;
          if (await swap(kept, { ...(known ?? unclaimed(account, key, now, '')), answer, revision: revision() }))
            return;
        }
      }),

    repeat: (account, key) =>
      link.run(async () => {
        const count = { $inc: { repetitions: 1 }, $set: { revision: revision() } };
        const filter = { _id: idOf(account, key), account };
        const counted = await idempotency.findOneAndUpdate(filter, count, { returnDocument: 'after' });
        return counted?.repetitions ?? 0;
      }),
  };
}

/** Returns the outcome that refuses this claim. Returns `null` if the claim is allowed. */
function refuse(known: IdempotencyDocument, claim: ClaimRequest, now: number): ClaimOutcome | null {
  if (!claim.fingerprints.includes(known.fingerprint)) return { status: 'mismatch', answer: known.answer };
  if (known.answer !== null) return { status: 'answered', answer: known.answer };
  if (!hasExpired(known.until.getTime(), now, claimTtlMs) && known.owner !== claim.owner) return { status: 'running' };
  return null;
}
