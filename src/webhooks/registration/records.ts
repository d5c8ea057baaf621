import { PosternError } from '../../shared/errors/postern-error.ts';
import { accountEventTypes, isAccountEventType, type WebhookEventType } from '../../shared/model/event.ts';
import { KeyedSemaphore } from '../../shared/runtime/semaphore.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import {
  type AuditEntry,
  type ComparedWebhook,
  type NewPoller,
  orStoreUnavailable,
  type Store,
  type WebhookPosition,
  type WebhookRecord,
} from '../../store/port.ts';
import type { PollerCredentials, WebhookVault } from '../shared/secrets.ts';
import type { CrcOutcome, Handshakes } from './handshakes.ts';

/** The maximum number of webhooks of an API account (docs/webhooks.md, Registration). */
export const maxPerAccount = 100;

/** What runs one at a time. Calls of all keys share it. */
export class WebhookLocks {
  /** Changes of a webhook, because concurrent updates would make each other fail. */
  readonly changes = new KeyedSemaphore(1);
  /** Creations of webhooks of an account, because concurrent calls would have to compare again. */
  readonly creations = new KeyedSemaphore(1);
  /** Replays of an account, because a replay may change many rows of the store. */
  readonly replays = new KeyedSemaphore(1);
}

/** Reads and writes webhooks and their pollers for calls of their owners. Throws `unavailable` if the store cannot be reached. */
export class WebhookRecords {
  readonly #store: Store;
  readonly #vault: WebhookVault;
  readonly #handshakes: Handshakes;
  readonly #connections: readonly string[] | null;
  readonly locks: WebhookLocks;

  /** `connections`: see `WebhookService.only`. */
  constructor(
    { store, vault, handshakes }: { store: Store; vault: WebhookVault; handshakes: Handshakes },
    connections: readonly string[] | null = null,
    locks = new WebhookLocks(),
  ) {
    this.#store = store;
    this.#vault = vault;
    this.#handshakes = handshakes;
    this.#connections = connections;
    this.locks = locks;
  }

  /** Throws `forbidden` if the key may not receive events of these types. */
  checkTypes(types: readonly WebhookEventType[] | null | undefined): void {
    if (this.#connections !== null && types?.some(isAccountEventType)) throw accountEventsNotAllowed();
  }

  /** Returns false if the key may not use this webhook. */
  async allows(record: WebhookRecord): Promise<boolean> {
    if (this.#connections === null) return true;
    const token = await this.authTokenOf(record);
    return token !== null && this.#connections.includes(token) && !record.events?.some(isAccountEventType);
  }

  /** Reads a webhook. Throws `not_found`. */
  async find(account: string, id: string): Promise<WebhookRecord> {
    const record = await this.stored(this.#store.webhooks.find(account, id));
    if (!record || !(await this.allows(record))) throw webhookNotFound(id);
    return record;
  }

  /** Lists webhooks, newest first. May return more than `limit` if the key is restricted. */
  async list(account: string, limit: number, after?: WebhookPosition): Promise<WebhookRecord[]> {
    const limitRead = this.#connections === null ? limit : maxPerAccount;
    const found = await this.stored(this.#store.webhooks.list(account, limitRead, after));
    const allowed = await Promise.all(found.map((record) => this.allows(record)));
    return found.filter((_, index) => allowed[index]);
  }

  /**
   * Reads, changes and writes a webhook, with the entry of the audit log if there is one. Retries if the webhook was changed concurrently.
   * Writes nothing if `change` returns `null`.
   */
  rewrite<Changed extends WebhookRecord | null>(
    account: string,
    id: string,
    change: (record: WebhookRecord) => Promise<Changed>,
    poller?: NewPoller,
    audit?: AuditEntry,
  ): Promise<Changed> {
    return this.locks.changes.run(id, async () => {
      for (;;) {
        const record = await this.find(account, id);
        const changed = await change(record);
        if (changed === null) return changed;
        const url = changed.url === record.url ? null : new URL(this.#vault.openUrl(changed));
        const compared = await this.requireUnique(record, url, poller && this.#vault.openPoller(poller).authToken);
        if (await this.stored(this.#store.webhooks.update(changed, poller, audit, compared))) return changed;
      }
    });
  }

  /**
   * Changes a webhook after a handshake with `url` or with the URL of the record. Runs another handshake only if the URL or the secret was
   * changed before the result is written.
   */
  async rewriteChecked(
    account: string,
    id: string,
    url: URL | null,
    change: (record: WebhookRecord, crc: CrcOutcome) => Promise<WebhookRecord>,
    poller?: NewPoller,
    audit?: AuditEntry,
  ): Promise<WebhookRecord> {
    for (;;) {
      const found = await this.find(account, id);
      // Yields to other requests, because a replay reads up to 100 webhooks and decrypting the secrets of each takes 0.1 ms.
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
        audit,
      );
      if (changed) return changed;
    }
  }

  /**
   * Throws `conflict` if a change would give the webhook the URL and the `auth_token` of another one. Pass `null` or
   * `undefined` for a part that does not change. Returns the compared webhooks. If neither part changes, compares
   * nothing and returns `undefined`, because an earlier release may have stored duplicates.
   */
  async requireUnique(
    record: WebhookRecord,
    url: URL | null,
    authToken: string | undefined,
  ): Promise<ComparedWebhook[] | undefined> {
    if (url === null && authToken === undefined) return undefined;
    const [urlBefore, tokenBefore] = [this.#urlOf(record), await this.authTokenOf(record)];
    const [urlAfter, tokenAfter] = [url ? receiverOf(url) : urlBefore, authToken ?? tokenBefore];
    if (urlAfter === urlBefore && tokenAfter === tokenBefore) return undefined;
    return this.compare(record, urlAfter, tokenAfter);
  }

  /** Throws `conflict` if another webhook of the account has both values. Returns the compared webhooks. */
  async compare(
    { account, id }: Pick<WebhookRecord, 'account' | 'id'>,
    receiver: string | null,
    authToken: string | null,
  ): Promise<ComparedWebhook[]> {
    const all = await this.stored(this.#store.webhooks.list(account, maxPerAccount));
    for (const other of all) {
      await turn();
      if (other.id === id || receiver === null || authToken === null || this.#urlOf(other) !== receiver) continue;
      if ((await this.authTokenOf(other)) === authToken) throw webhookExists(other.id);
    }
    return all.map(({ id, poller, url }) => ({ id, poller, url }));
  }

  #urlOf(record: WebhookRecord): string | null {
    return decryptedOrNull(() => receiverOf(new URL(this.#vault.openUrl(record))));
  }

  /** Returns the `auth_token` of a webhook. Returns `null` if it cannot be decrypted. */
  async authTokenOf({ account, poller }: WebhookRecord): Promise<string | null> {
    const found = await this.stored(this.#store.pollers.find(account, poller));
    return found && decryptedOrNull(() => this.#vault.openPoller(found).authToken);
  }

  /** Returns the poller for these credentials. If one exists, it is returned, even if its id was derived with an older secret key. */
  async pollerOf(account: string, credentials: PollerCredentials): Promise<NewPoller> {
    const { pollers } = this.#store;
    const ids = this.#vault.pollerIds(account, credentials);
    let id = ids[0] ?? '';
    for (const known of ids.slice(1)) if (await this.stored(pollers.find(account, known))) id = known;
    return { id, account, sealed: this.#vault.sealPoller(account, id, credentials), createdAt: this.#store.now() };
  }

  /**
   * Returns the poller for new credentials of a webhook. The new poller starts at the cursor of the webhook's current poller, so no events
   * are lost if the actor is the same.
   */
  async successor(account: string, id: string, credentials: PollerCredentials): Promise<NewPoller> {
    const { poller } = await this.find(account, id);
    const before = await this.stored(this.#store.pollers.find(account, poller));
    return { ...(await this.pollerOf(account, credentials)), cursor: before?.cursor ?? null };
  }

  /** Marks the newest secret as proven after a passed CRC, because the receiver then knows this secret. */
  proven(record: WebhookRecord, crc: CrcOutcome): WebhookRecord {
    const secrets = this.#vault.open(record);
    if (crc.result !== 'passed' || secrets.proven) return record;
    return { ...record, sealed: this.#vault.seal(record, { ...secrets, proven: true }) };
  }

  stored<T>(asked: Promise<T>): Promise<T> {
    return orStoreUnavailable(asked, 'webhooks cannot be looked up');
  }
}

function accountEventsNotAllowed(): PosternError {
  const message = `This API key may only use some connections, so it gets no events of the account: ${accountEventTypes.join(', ')}`;
  return new PosternError(
    'key_connection_not_allowed',
    `${message}. Leave them out, or use a key without this restriction`,
  );
}

export function webhookNotFound(id: string): PosternError {
  return new PosternError('webhook_not_found', `Webhook not found: ${id}`);
}

/** Returns a canonical form of a URL: equal for all spellings that send the same request. */
export function receiverOf({ protocol, username, password, hostname, port, pathname, search }: URL): string {
  const path = `${pathname}${search}`.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
  return JSON.stringify([protocol, username, password, hostname.replace(/\.$/, ''), port, path]);
}

function webhookExists(id: string): PosternError {
  return new PosternError(
    'webhook_exists',
    `A webhook with this url and auth_token exists: ${id}. PUT /webhooks/${id} runs its handshake again, PATCH /webhooks/${id} changes its events, ` +
      `and POST /webhooks/${id}/rotate-secret replaces a secret that you do not have`,
  );
}

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
