import type { Filter, UpdateFilter } from 'mongodb';
import { type HandshakeLease, type HandshakeState, handshakeLeaseMs, type WebhookStore } from '../port.ts';
import { expired, type Parts } from './parts.ts';
import type { WebhookDocument } from './webhook-documents.ts';

/** Implements the handshake lease. Each method is one write to the webhook's document. */
export function mongoHandshakes({
  link,
  clock,
  collections,
}: Parts): Pick<WebhookStore, 'beginHandshake' | 'endHandshake'> {
  const { webhooks } = collections;
  const projection = { handshake: 1 } as const;

  async function begin(lease: HandshakeLease, joined: number | null): Promise<HandshakeState | null> {
    const now = await clock.recent();
    const webhook = { _id: lease.webhook, account: lease.account };
    const free: Filter<WebhookDocument>[] = [
      { 'handshake.holder': null },
      { 'handshake.holder': lease.holder },
      ...expired(now, handshakeLeaseMs).map((until) => ({ 'handshake.until': until })),
    ];
    const seen = await webhooks.findOne(webhook, { projection });
    if (!seen) return null;
    const { last } = seen.handshake ?? {};
    if (joined !== null && last && last.number >= joined && last.target === lease.target) return stateOf(seen);
    const until = new Date(now + handshakeLeaseMs);
    const taking: UpdateFilter<WebhookDocument> = {
      $inc: { 'handshake.number': 1 },
      $set: { 'handshake.holder': lease.holder, 'handshake.until': until },
    };
    // The lease is taken only if no handshake has ended since the document was read, because the result of that handshake may be usable.
    const unchanged = last ? { 'handshake.last.number': last.number } : { 'handshake.last': { $exists: false } };
    const filter = { ...webhook, ...unchanged, $or: free } as Filter<WebhookDocument>;
    const taken = await webhooks.findOneAndUpdate(filter, taking, { projection, returnDocument: 'after' });
    return stateOf(taken ?? (await webhooks.findOne(webhook, { projection })));
  }

  return {
    beginHandshake: (lease, joined) => link.run(() => begin(lease, joined)),

    endHandshake: ({ account, webhook, holder, target }, number, outcome) =>
      link.run(async () => {
        const filter = { _id: webhook, account, 'handshake.number': number, 'handshake.holder': holder };
        const last = outcome !== null && { 'handshake.last': { number, target, outcome } };
        await webhooks.updateOne(filter as Filter<WebhookDocument>, { $set: { 'handshake.holder': null, ...last } });
      }),
  };
}

function stateOf(webhook: Pick<WebhookDocument, 'handshake'> | null): HandshakeState | null {
  if (!webhook) return null;
  const { number = 0, holder = null, last = null } = webhook.handshake ?? {};
  return { number, holder, last };
}
