import type { ClientSession, Filter } from 'mongodb';
import type { NewPoller, WebhookRecord, WebhookStore } from '../port.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { mongoHandshakes } from './handshakes.ts';
import { verbLimitMs } from './link.ts';
import type { Parts } from './parts.ts';
import { toDate, toMs } from './parts.ts';
import { pollerLife } from './poller-life.ts';
import type { WebhookDocument } from './webhook-documents.ts';

/** What changes an account's webhooks is seldom, and is a transaction: of the webhook, its account's turn, its poller. */
export function mongoWebhooks(parts: Parts): WebhookStore {
  const { link, clock, transact, turns } = parts;
  const { webhooks, webhookTurns, pollers, deliveries } = parts.collections;
  const life = pollerLife(parts);

  function inTurn<T>(account: string, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const update = { $inc: { turn: 1 }, $setOnInsert: { v: 1 as const } };
    const locked = (session: ClientSession) =>
      webhookTurns.updateOne({ _id: account }, update, { session, upsert: true }).then(() => work(session));
    return link.run(() => turns.take(`webhooks ${account}`, verbLimitMs, () => transact(locked)), 0);
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

  return {
    ...mongoHandshakes(parts),

    create: (webhook, poller, limit) =>
      inTurn(webhook.account, async (session) => {
        const { account } = webhook;
        const known = await webhooks.find({ account }, { session, projection: { _id: 1 } }).toArray();
        if (known.some(({ _id }) => _id === webhook.id)) return 'created';
        if (known.length >= limit) return 'too_many';
        await join(poller, session);
        await webhooks.insertOne(toDocument(webhook), { session });
        await life.recount(account, webhook.poller, session);
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
        // To the driver 0 means no limit.
        if (limit <= 0) return [];
        return (await webhooks.find(filter, { sort: { createdAt: -1, _id: -1 }, limit }).toArray()).map(toWebhook);
      }),

    withPlainUrl: (limit) =>
      link.run(async () => (await webhooks.find({ url: /^http/ }, { limit }).toArray()).map(toWebhook)),

    ofPoller: (account, poller) =>
      link.run(async () => {
        const found = await webhooks.find({ account, poller }, { sort: { createdAt: 1, _id: 1 } }).toArray();
        return found.map(toWebhook);
      }),

    update: (webhook, poller) =>
      inTurn(webhook.account, async (session) => {
        const { id, account, revision } = webhook;
        const before = await webhooks.findOne({ _id: id, account, revision }, { session });
        if (!before) return false;
        if (poller) await join(poller, session);
        else if (webhook.poller !== before.poller && !(await isKept(account, webhook.poller, session))) {
          throw new Error(`webhook ${id} cannot move to a poller that is not there`);
        }
        const { _id, createdAt, lastDeliveryAt, ...after } = toDocument(webhook);
        const set = { $set: { ...after, revision: revision + 1 } };
        await webhooks.updateOne({ _id, account }, set, { session });
        for (const changed of new Set([before.poller, webhook.poller])) await life.recount(account, changed, session);
        return true;
      }),

    async remove(account, id) {
      const removed = await inTurn(account, async (session) => {
        const webhook = await webhooks.findOneAndDelete({ _id: id, account }, { session });
        if (webhook) await life.recount(account, webhook.poller, session);
        return webhook !== null;
      });
      if (removed) await link.run(() => deleteInBatches(deliveries, { account, webhook: id }), 0);
      return removed;
    },
  };
}

function toDocument({ id, ...webhook }: WebhookRecord): WebhookDocument {
  return {
    ...{ ...webhook, _id: id, v: 1 },
    createdAt: new Date(webhook.createdAt),
    keptSince: toDate(webhook.keptSince),
    lastValidatedAt: toDate(webhook.lastValidatedAt),
    failingSince: toDate(webhook.failingSince),
    lastDeliveryAt: toDate(webhook.lastDeliveryAt),
  };
}

function toWebhook({ _id, v, handshake, ...webhook }: WebhookDocument): WebhookRecord {
  return {
    ...{ ...webhook, id: _id },
    createdAt: webhook.createdAt.getTime(),
    keptSince: toMs(webhook.keptSince),
    lastValidatedAt: toMs(webhook.lastValidatedAt),
    failingSince: toMs(webhook.failingSince),
    lastDeliveryAt: toMs(webhook.lastDeliveryAt),
  };
}
