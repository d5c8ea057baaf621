import type { WebhookView } from '../../../shared/model/webhook.ts';
import { Badge } from '../../ui/page.tsx';

const states = {
  active: ['good', 'active'],
  pending: ['neutral', 'waiting for its handshake'],
  invalid: ['bad', 'not valid'],
  paused: ['neutral', 'paused'],
  stalled: ['warn', 'stalled'],
} as const;

export function StateBadge({ of: { state } }: { of: WebhookView }) {
  const [tone, text] = states[state];
  return <Badge tone={tone}>{text}</Badge>;
}

/** The number of event types that a webhook gets, in words. */
export function numberOfTypes({ events }: WebhookView): string {
  if (!events) return 'all types';
  return events.length === 1 ? '1 type' : `${events.length} types`;
}
