import { PosternError } from '../../shared/errors/postern-error.ts';
import { KeyedSemaphore } from '../../shared/runtime/semaphore.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { NewPoller, Store, WebhookRecord } from '../../store/port.ts';
import { orStoreAway } from '../../store/store-away.ts';
import type { PollerCredentials, WebhookVault } from '../shared/secrets.ts';
import type { CrcOutcome } from './crc.ts';
import type { Handshakes } from './handshakes.ts';

/** Reads and writes webhooks and their pollers for calls of their owners. Throws `unavailable` if the store cannot be reached. */
export class WebhookRecords {
  readonly #store: Store;
  readonly #vault: WebhookVault;
  readonly #handshakes: Handshakes;
  /** One change of a webhook at a time, because concurrent updates would make each other fail. */
  readonly #turns = new KeyedSemaphore(1);

  constructor({ store, vault, handshakes }: { store: Store; vault: WebhookVault; handshakes: Handshakes }) {
    this.#store = store;
    this.#vault = vault;
    this.#handshakes = handshakes;
  }

  /** Throws `not_found`. */
  async find(account: string, id: string): Promise<WebhookRecord> {
    const record = await this.stored(this.#store.webhooks.find(account, id));
    if (!record) throw notFound(id);
    return record;
  }

  /** Reads, changes and writes a webhook, again if someone else has changed it in between. Gives up if `change` returns `null`. */
  rewrite<Changed extends WebhookRecord | null>(
    account: string,
    id: string,
    change: (record: WebhookRecord) => Promise<Changed>,
    poller?: NewPoller,
  ): Promise<Changed> {
    return this.#turns.run(id, async () => {
      for (;;) {
        const changed = await change(await this.find(account, id));
        if (changed === null || (await this.stored(this.#store.webhooks.update(changed, poller)))) return changed;
      }
    });
  }

  /**
   * Changes a webhook after a handshake with `url` or the record's URL. Runs the handshake again only if the URL or the secret is
   * changed before the outcome is written.
   */
  async rewriteChecked(
    account: string,
    id: string,
    url: URL | null,
    change: (record: WebhookRecord, crc: CrcOutcome) => Promise<WebhookRecord>,
    poller?: NewPoller,
  ): Promise<WebhookRecord> {
    for (;;) {
      const found = await this.find(account, id);
      // A replay reads 100 webhooks at once, and opening the secrets of each takes a tenth of a millisecond.
      await turn();
      const subject = this.#handshakes.subject(found, url);
      const crc = await this.stored(this.#handshakes.run(subject));
      if (crc.result === 'superseded') continue;
      const changed = await this.rewrite(
        account,
        id,
        async (record) => {
          await turn();
          const { target } = this.#handshakes.subject(record, url);
          return target === subject.target ? change(record, crc) : null;
        },
        poller,
      );
      if (changed) return changed;
    }
  }

  /** Returns the poller for these credentials: an existing one, whose id may have been made with an older key, or a new one. */
  async pollerOf(account: string, credentials: PollerCredentials): Promise<NewPoller> {
    const { pollers } = this.#store;
    const ids = this.#vault.pollerIds(account, credentials);
    let id = ids[0] ?? '';
    for (const known of ids.slice(1)) if (await this.stored(pollers.find(account, known))) id = known;
    return { id, account, sealed: this.#vault.sealPoller(account, id, credentials), createdAt: this.#store.now() };
  }

  /**
   * Returns the poller for new credentials of a webhook. It starts at the cursor of the webhook's poller, so no events are
   * lost if the actor is the same.
   */
  async successor(account: string, id: string, credentials: PollerCredentials): Promise<NewPoller> {
    const { poller } = await this.find(account, id);
    const before = await this.stored(this.#store.pollers.find(account, poller));
    return { ...(await this.pollerOf(account, credentials)), cursor: before?.cursor ?? null };
  }

  /** Marks the newest secret as proven if the CRC has passed, because the receiver then knows it. */
  proven(record: WebhookRecord, crc: CrcOutcome): WebhookRecord {
    const secrets = this.#vault.open(record);
    if (crc.result !== 'passed' || secrets.proven) return record;
    return { ...record, sealed: this.#vault.seal(record, { ...secrets, proven: true }) };
  }

  stored<T>(asked: Promise<T>): Promise<T> {
    return orStoreAway(asked, 'webhooks cannot be looked up');
  }
}

export function notFound(id: string): PosternError {
  return new PosternError('webhook_not_found', `Webhook not found: ${id}`);
}
