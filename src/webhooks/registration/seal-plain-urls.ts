import type { Store } from '../../store/port.ts';
import type { WebhookVault } from '../shared/secrets.ts';

const batchSize = 100;

/** Seals the URLs that earlier releases stored in plain text. To be called before webhooks are used. */
export async function sealPlainUrls(store: Store, vault: WebhookVault): Promise<void> {
  for (;;) {
    const found = await store.webhooks.withPlainUrl(batchSize);
    if (found.length === 0) return;
    // A webhook that someone else changes meanwhile is found again.
    for (const record of found) await store.webhooks.update({ ...record, url: vault.sealUrl(record, record.url) });
  }
}
