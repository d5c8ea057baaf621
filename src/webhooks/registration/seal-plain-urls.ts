import type { Store } from '../../store/port.ts';
import type { WebhookVault } from '../shared/secrets.ts';

const batchSize = 100;

/** Encrypts the URLs that earlier releases stored in plain text. Must be called before webhooks are used. */
export async function sealPlainUrls(store: Store, vault: WebhookVault): Promise<void> {
  for (;;) {
    const found = await store.webhooks.withPlainUrl(batchSize);
    if (found.length === 0) return;
    // If this update fails because of a concurrent change, the next round finds the webhook again.
    for (const record of found) await store.webhooks.update({ ...record, url: vault.sealUrl(record, record.url) });
  }
}
