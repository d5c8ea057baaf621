import type { ClientSession, Filter } from 'mongodb';
import type { ComparedWebhook, NewPoller, WebhookRecord, WebhookStore } from '../port.ts';
import { hasUncompared } from '../webhook-rules.ts';
import { addAudit } from './audit.ts';
import { operationTimeoutMs } from './connection.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { mongoHandshakes } from './handshakes.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';
import { pollerLifecycle } from './poller-lifecycle.ts';
import { plainUrl, type WebhookDocument } from './webhook-documents.ts';

/**
 * Implements the webhook store. Changes of webhooks are rare, so each is a transaction over the webhook, the account's lock document and
 * the poller.
 */
export function mongoWebhooks(parts: Parts): WebhookStore {
  const { link, clock, transact, turns } = parts;
  const { webhooks, webhookTurns, pollers, deliveries } = parts.collections;
  const life = pollerLifecycle(parts);

  function inTurn<T>(account: string, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const update = { $inc: { turn: 1 }, $setOnInsert: { v: 1 as const } };
    const locked = (session: ClientSession) =>
      webhookTurns.updateOne({ _id: account }, update, { session, upsert: true }).then(() => work(session));
    return link.run(() => turns.take(`webhooks ${account}`, operationTimeoutMs, () => transact(locked)), 0);
  }

  async function join(poller: NewPoller, session: ClientSession): Promise<void> {
    await life.ensure(poller, await clock.recent(), session);
    const { id: _id, account, sealed } = poller;
    await pollers.updateOne({ _id, account }, { $set: { sealed } }, { session });
  }

  async function isKept(account: string, _id: string, session: ClientSession): Promise<boolean> {
    const keptUntil = { $gt: new Date(await clock.recent()) };
    return (await pollers.findOne({ _id, account, keptUntil }, { session, projection: { _id: 1 } })) !== null;
  }

  async function targets(account: string, session: ClientSession): Promise<ComparedWebhook[]> {
    const projection = { poller: 1, url: 1 } as const;
    const found = await webhooks.find({ account }, { session, projection }).toArray();
    return found.map(({ _id: id, poller, url }) => ({ id, poller, url }));
  }

  return {
    ...mongoHandshakes(parts),

    create: (webhook, poller, limit, audit, compared) =>
      inTurn(webhook.account, async (session) => {
        const { account } = webhook;
        const stored = await targets(account, session);
        if (stored.some(({ id }) => id === webhook.id)) return 'created';
        if (compared && hasUncompared(stored, compared, webhook.id)) return 'changed';
        if (stored.length >= limit) return 'too_many';
        await join(poller, session);
        await webhooks.insertOne(toDocument(webhook), { session });
        await life.recount(account, webhook.poller, session);
        await addAudit(parts, session, audit);
        return 'created';
      }),

    find: (account, id) =>
      link.run(async () => {
        const webhook = await webhooks.findOne({ _id: id, account });
        return webhook ? toWebhook(webhook) : null;
      }),

    list: (account, limit, after) =>
      link.run(async () => {
        const filter: Filter<WebhookDocument> = { account };
        if (after) {
          const createdAt = new Date(after.createdAt);
          filter.$or = [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: after.id } }];
        }
        // The driver would interpret a limit of 0 as no limit.
        if (limit <= 0) return [];
        return (await webhooks.find(filter, { sort: { createdAt: -1, _id: -1 }, limit }).toArray()).map(toWebhook);
      }),

    withPlainUrl: (limit) =>
      link.run(async () => (await webhooks.find({ url: plainUrl }, { limit }).toArray()).map(toWebhook)),

    listAll: (limit, after = '') =>
      link.run(async () => {
        const found = await webhooks.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit }).toArray();
        return found.map(toWebhook);
      }),

    reseal: ({ account, id, revision, url, sealed }) =>
      link.run(async () => {
        const set = { url, sealed, revision: revision + 1 };
        return (await webhooks.updateOne({ _id: id, account, revision }, { $set: set })).matchedCount === 1;
      }),

    ofPoller: (account, poller) =>
      link.run(async () => {
        const found = await webhooks.find({ account, poller }, { sort: { createdAt: 1, _id: 1 } }).toArray();
        return found.map(toWebhook);
      }),

    update: (webhook, poller, audit, compared) =>
      inTurn(webhook.account, async (session) => {
        const { id, account, revision } = webhook;
        const before = await webhooks.findOne({ _id: id, account, revision }, { session });
        if (!before) return false;
        if (compared && hasUncompared(await targets(account, session), compared, id)) return false;
        if (poller) await join(poller, session);
        else if (webhook.poller !== before.poller && !(await isKept(account, webhook.poller, session))) {
          throw new Error(`webhook ${id} cannot move to a poller that does not exist`);
        }
        const { _id, createdAt, lastDeliveryAt, undeliveredSince, undeliveredError, ...after } = toDocument(webhook);
        const isMoved = webhook.url !== before.url;
        const cleared = isMoved && { undeliveredSince: null, undeliveredError: null };
        const set = { $set: { ...after, ...cleared, revision: revision + 1 } };
        await webhooks.updateOne({ _id, account }, set, { session });
        for (const changed of new Set([before.poller, webhook.poller])) await life.recount(account, changed, session);
        await addAudit(parts, session, audit);
        return true;
      }),

    async remove(account, id, audit) {
      const removed = await inTurn(account, async (session) => {
        const webhook = await webhooks.findOneAndDelete({ _id: id, account }, { session });
        if (!webhook) return false;
        await life.recount(account, webhook.poller, session);
        await addAudit(parts, session, audit);
        return true;
      });
      // An earlier removal of the webhook may have failed before its deliveries were deleted.
      await link.run(() => deleteInBatches(deliveries, { account, webhook: id }), 0);
      return removed;
    },
  };
}

function toDocument({ id, ...webhook }: WebhookRecord): WebhookDocument {
  return {
    ...webhook,
    _id: id,
    v: 1,
    createdAt: new Date(webhook.createdAt),
    keptSince: toDate(webhook.keptSince),
    lastValidatedAt: toDate(webhook.lastValidatedAt),
    failingSince: toDate(webhook.failingSince),
    lastDeliveryAt: toDate(webhook.lastDeliveryAt),
    undeliveredSince: toDate(webhook.undeliveredSince),
    pausedAt: toDate(webhook.pausedAt),
  };
}

function toWebhook({
  _id,
  v,
  handshake,
  undeliveredSince = null,
  undeliveredError = null,
  pausedAt = null,
  ...webhook
}: WebhookDocument): WebhookRecord {
  return {
    ...webhook,
    id: _id,
    createdAt: webhook.createdAt.getTime(),
    keptSince: toMs(webhook.keptSince),
    lastValidatedAt: toMs(webhook.lastValidatedAt),
    failingSince: toMs(webhook.failingSince),
    lastDeliveryAt: toMs(webhook.lastDeliveryAt),
    undeliveredSince: toMs(undeliveredSince),
    undeliveredError,
    pausedAt: toMs(pausedAt),
  };
}
