import { effect, signal } from '@preact/signals';
import type { WebhookView } from '../../../shared/model/webhook.ts';
import { apiKey } from '../../session.ts';

/** The webhooks in the responses since sign-in, newest first. */
export const known = signal<readonly WebhookView[]>([]);

/** The cursor after the last listed webhook. `null` if the list is complete, and `undefined` before the list was loaded. */
export const listed = signal<{ next: string | null } | undefined>(undefined);

export function remember(...webhooks: readonly WebhookView[]): void {
  const ids = new Set(webhooks.map(({ id }) => id));
  const rest = known.value.filter(({ id }) => !ids.has(id));
  known.value = [...rest, ...webhooks].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

export function forget(id: string): void {
  known.value = known.value.filter((webhook) => webhook.id !== id);
}

effect(() => {
  // Another key may belong to another account.
  if (apiKey.value !== undefined) {
    known.value = [];
    listed.value = undefined;
  }
});
