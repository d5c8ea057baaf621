import { type Filter, Long } from 'mongodb';
import { applyTopUp } from '../ledger-rules.ts';
import type { AuditEntry, LedgerStore, TopUp, TopUpOutcome } from '../port.ts';
import { lockAccount, saveCredit } from './account-lock.ts';
import { balanceOfDocument } from './accounts.ts';
import { addAudit } from './audit.ts';
import type { PaymentDocument } from './collections.ts';
import { mongoCommit } from './commit.ts';
import { operationTimeoutMs } from './connection.ts';
import type { Parts } from './parts.ts';
import { mongoSweep } from './sweep.ts';

export function mongoLedger(parts: Parts): LedgerStore {
  const { link, turns, transact } = parts;
  const { accounts, usage, payments } = parts.collections;
  const commit = mongoCommit(parts);
  const sweep = mongoSweep(parts);

  const topUp = (one: TopUp, audit: AuditEntry | undefined): Promise<TopUpOutcome> =>
    transact(async (session) => {
      const account = await lockAccount(parts, session, one.account);
      if (!account) return 'no_account';
      if (await payments.findOne({ _id: one.id }, { session })) return 'already_applied';
      const after = applyTopUp(account.credit, one.micros);
      const { id, micros, description, createdAt } = one;
      const payment = { account: one.account, micros: Long.fromNumber(micros), description };
      await payments.insertOne({ _id: id, v: 1, ...payment, createdAt: new Date(createdAt) }, { session });
      await saveCredit(parts, session, one.account, account.credit, after);
      await addAudit(parts, session, audit);
      return 'applied';
    }, one.account);

  return {
    commit: (one) => link.run(() => turns.take(one.account, operationTimeoutMs, () => commit(one)), 0),
    topUp: (one, audit) => link.run(() => turns.take(one.account, operationTimeoutMs, () => topUp(one, audit)), 0),
    sweep: () => link.run(sweep, 0),

    balance: (account) =>
      link.run(async () => {
        const found = await accounts.findOne({ _id: account });
        return found ? balanceOfDocument(found) : null;
      }),

    usage: (account, fromHour, toHour) =>
      link.run(async () => {
        const hours = { account, hour: { $gte: fromHour, $lt: toHour } };
        const lines = await usage.find(hours, { sort: { hour: 1, action: 1 } }).toArray();
        return lines.map(({ hour, action, calls, micros, platformMicros }) => ({
          hour,
          action,
          calls: Number(calls),
          micros: Number(micros),
          platformMicros: Number(platformMicros ?? 0),
        }));
      }),

    payments: (account, limit, after) =>
      link.run(async () => {
        const filter: Filter<PaymentDocument> = { account };
        if (after) {
          const createdAt = new Date(after.createdAt);
          filter.$or = [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: after.id } }];
        }
        // The driver would interpret a limit of 0 as no limit.
        if (limit <= 0) return [];
        const found = await payments.find(filter, { sort: { createdAt: -1, _id: -1 }, limit }).toArray();
        return found.map(toTopUp);
      }),
  };
}

function toTopUp({ _id, account, micros, description, createdAt }: PaymentDocument): TopUp {
  return { id: _id, account, micros: Number(micros), description, createdAt: createdAt.getTime() };
}
