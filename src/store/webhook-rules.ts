import type { DeliveryResult } from './event-port.ts';
import type { ComparedWebhook } from './webhook-port.ts';

/** The combined outcome of some delivery results of one webhook. If one of them is a success, the failures do not count. */
export type DeliveryOutcome =
  | { deliveredAt: number; failed: null }
  | { deliveredAt: null; failed: { since: number; error: string | null } };

/** Returns the combined outcome of the results for each webhook. */
export function deliveryOutcomes(results: readonly DeliveryResult[]): Map<string, DeliveryOutcome> {
  const outcomes = new Map<string, DeliveryOutcome>();
  for (const { webhook, state, last } of results) {
    const known = outcomes.get(webhook);
    if (state === 'delivered') {
      outcomes.set(webhook, { deliveredAt: Math.max(last.at, known?.deliveredAt ?? 0), failed: null });
    } else if (!known?.deliveredAt) {
      const since = Math.min(last.at, known?.failed?.since ?? last.at);
      outcomes.set(webhook, { deliveredAt: null, failed: { since, error: last.error } });
    }
  }
  return outcomes;
}

/** Returns true if a stored webhook other than `id` was not compared, or was changed after the comparison. */
export function hasUncompared(
  stored: readonly ComparedWebhook[],
  compared: readonly ComparedWebhook[],
  id: string,
): boolean {
  const known = new Set(compared.map(textOf));
  return stored.some((target) => target.id !== id && !known.has(textOf(target)));
}

function textOf({ id, poller, url }: ComparedWebhook): string {
  return JSON.stringify([id, poller, url]);
}
