import { PosternError } from '../shared/errors/postern-error.ts';
import type { AuditAuthor } from '../shared/model/audit.ts';
import type { LiveStream, WebhookEventType } from '../shared/model/event.ts';
import type { Page } from '../shared/model/page.ts';
import type {
  CreatedWebhook,
  DeliveryDetailView,
  DeliveryView,
  WebhookTest,
  WebhookView,
} from '../shared/model/webhook.ts';
import { sleep } from '../shared/runtime/runtime.ts';
import { decryptedOrNull } from '../shared/secrets/vault.ts';
import type { DeliveryPosition, LoggedAttempt, ReplayFilter, WebhookPosition, WebhookRecord } from '../store/port.ts';
import { afterCheck } from './registration/daily-check.ts';
import type { Handshakes } from './registration/handshakes.ts';
import { maxPerAccount, WebhookRecords, webhookNotFound } from './registration/records.ts';
import {
  type NewWebhook,
  Registration,
  type RegistrationParts,
  type WebhookChange,
} from './registration/registration.ts';
import { sendTestEvent, type TestEventLimit, testEventsPerMinute } from './registration/test-event.ts';
import {
  attemptView,
  deliveryView,
  gapError,
  lastErrorOf,
  mostCounted,
  pageOfRecords,
  readPosition,
  reasonOf,
  stateOf,
  view,
} from './registration/views.ts';
import { type CredentialResolver, isDeletedConnection } from './shared/platform-access.ts';
import { type AttemptExchange, type PollerCredentials, secretOverlapMs } from './shared/secrets.ts';
import type { LiveStreams } from './streams/live-streams.ts';

export interface StreamOptions {
  account: string;
  credentials: PollerCredentials;
  /** The current end of the platform's activity. */
  cursor: string;
  types: readonly WebhookEventType[] | null;
  after: string | null;
  encryptionCode: string | null;
}

export interface WebhookServiceParts extends Omit<RegistrationParts, 'records'> {
  streams: LiveStreams;
  logins: CredentialResolver;
  handshakes: Handshakes;
  testEvents: TestEventLimit;
}

/**
 * The time in milliseconds within which the results of finished attempts are stored (`result-writer.ts`). A replay first waits for this
 * time, because it leaves out events whose first attempt has no stored result.
 */
const resultsMs = 100;

/** Implements the API calls for webhooks (docs/webhooks.md, Registration). */
export class WebhookService {
  readonly #parts: WebhookServiceParts;
  readonly #records: WebhookRecords;
  readonly #registration: Registration;

  constructor(parts: WebhookServiceParts, records = new WebhookRecords(parts)) {
    this.#parts = parts;
    this.#records = records;
    this.#registration = new Registration({ ...parts, records });
  }

  /**
   * Returns the service restricted to the webhooks of these connections, for a key with the restriction `connections`. Leaves out webhooks
   * with account events too, because those events concern the whole account. `null`: no restriction.
   */
  only(connections: readonly string[] | null): WebhookService {
    if (connections === null) return this;
    return new WebhookService(this.#parts, new WebhookRecords(this.#parts, connections, this.#records.locks));
  }

  /** Throws `forbidden` if the key may not receive events of these types. */
  checkTypes(types: readonly WebhookEventType[] | null | undefined): void {
    this.#records.checkTypes(types);
  }

  /** Parses and checks the URL of a receiver. Throws `bad_input`. */
  checkUrl(text: string): URL {
    return this.#parts.receivers.readUrl(text);
  }

  /** Opens a live stream with the same events that webhooks of this actor receive. */
  async stream({
    account,
    credentials,
    cursor,
    types,
    after,
    encryptionCode: code,
  }: StreamOptions): Promise<LiveStream> {
    const opening = code === null ? null : { account, credentials, code };
    if (opening) await this.#parts.opener.check(opening);
    const { pollers } = this.#parts.store;
    const poller = { ...(await this.#records.pollerOf(account, credentials)), cursor };
    const known = await this.#records.stored(pollers.find(account, poller.id));
    // The platform has just accepted these credentials, so a poller that was stopped because of them continues.
    if (known?.stopped) await this.#records.stored(pollers.renew(poller));
    return this.#parts.streams.open({ poller, types, after, opening });
  }

  /** See `Registration.create`. */
  create(webhook: NewWebhook): Promise<CreatedWebhook> {
    return this.#registration.create(webhook);
  }

  async find(account: string, id: string): Promise<WebhookView> {
    return this.#view(await this.#records.find(account, id));
  }

  async #view(record: WebhookRecord): Promise<WebhookView> {
    const { store, vault } = this.#parts;
    const { account, id } = record;
    const poller = await this.#records.stored(store.pollers.find(account, record.poller));
    const lastError = lastErrorOf(record, {
      stopped: poller?.stopped ?? null,
      unreachable: poller && vault.openUnreachable(poller),
      codeRefused: vault.open(record).codeRefused,
    });
    const state = stateOf(record, lastError);
    let state_reason: string | null = null;
    if (state !== 'active') {
      const waiting = await this.#records.stored(store.deliveries.queued(account, id, mostCounted + 1));
      state_reason = reasonOf(record, state, lastError, waiting, store.now());
    }
    // A gap does not keep new events from being delivered, so it does not change the state.
    const shown = lastError ?? gapError(poller?.gapAt ?? null, store.now());
    return view(record, vault.openUrl(record), shown, { state, state_reason });
  }

  /** Lists webhooks, newest first. */
  async list(account: string, count: number, cursor: string | null): Promise<Page<WebhookView>> {
    const found = await this.#records.list(account, count + 1, readPosition<WebhookPosition>(cursor));
    const { items, cursor: next } = pageOfRecords(
      found,
      count,
      (record) => record,
      ({ createdAt, id }) => ({ createdAt, id }),
    );
    return { items: await Promise.all(items.map((record) => this.#view(record))), cursor: next };
  }

  /** Lets the pollers with an `auth_token` try it again, because it works again or no longer. Drops the events of a deleted connection. */
  async renewPollers(account: string, authToken: string): Promise<void> {
    const { store, vault, logins } = this.#parts;
    const isDeleted = await isDeletedConnection(logins, account, authToken);
    const webhooks = await store.webhooks.list(account, maxPerAccount);
    for (const id of new Set(webhooks.map(({ poller }) => poller))) {
      const poller = await store.pollers.find(account, id);
      const credentials = poller && decryptedOrNull(() => vault.openPoller(poller));
      if (!poller || credentials?.authToken !== authToken) continue;
      if (isDeleted) for (const webhook of webhooks) await store.deliveries.drop(account, webhook.id, id);
      await store.pollers.renew({ account, id });
    }
  }

  /** Runs the CRC again, with new credentials or a new code if they are given. The returned webhook contains the result. */
  async validate(
    account: string,
    id: string,
    renewed: Pick<WebhookChange, 'credentials' | 'encryptionCode'>,
    author: AuditAuthor,
  ): Promise<WebhookView> {
    return this.#view(await this.#registration.change(account, id, renewed, true, author));
  }

  /**
   * Changes the URL or the events, pauses or resumes. A new URL is checked with a CRC at once. If the CRC fails, the webhook becomes invalid.
   * After a pause this process sends no more deliveries.
   */
  async update(
    account: string,
    id: string,
    change: Pick<WebhookChange, 'url' | 'events' | 'paused'>,
    author: AuditAuthor,
  ): Promise<WebhookView> {
    return this.#view(await this.#registration.change(account, id, change, change.url !== undefined, author));
  }

  async remove(account: string, id: string, author: AuditAuthor): Promise<{ id: string; deleted: true }> {
    const { webhooks } = this.#parts.store;
    const found = await this.#records.stored(webhooks.find(account, id));
    if (found && !(await this.#records.allows(found))) throw webhookNotFound(id);
    const entry = found ? this.#registration.auditEntry(found, 'webhook.deleted', author) : undefined;
    // A webhook that is not found is removed too, because an earlier removal may have failed before it deleted the deliveries.
    const isRemoved = await this.#records.stored(webhooks.remove(account, id, entry));
    if (!isRemoved) throw webhookNotFound(id);
    this.#parts.gate.retire(id, Number.POSITIVE_INFINITY);
    return { id, deleted: true };
  }

  /** Creates a new secret. Deliveries are also signed with the old secret for 24 h. */
  async rotateSecret(account: string, id: string, author: AuditAuthor): Promise<{ id: string; secret: string }> {
    const { store, vault, runtime } = this.#parts;
    const secret = runtime.randomBytes(24).toString('base64url');
    const found = await this.#records.find(account, id);
    const entry = this.#registration.auditEntry(found, 'webhook.secret_rotated', author);
    const rotate = async (record: WebhookRecord): Promise<WebhookRecord> => {
      const before = vault.open(record);
      // A receiver that has not passed a handshake with the newest secret still uses the previous one.
      const kept = before.proven || before.previous === null ? before.secret : before.previous.secret;
      const previous = { secret: kept, until: store.now() + secretOverlapMs };
      return { ...record, sealed: vault.seal(record, { ...before, secret, proven: false, previous }) };
    };
    await this.#records.rewrite(account, id, rotate, undefined, entry);
    return { id, secret };
  }

  /** Sends a signed `webhook.test` event immediately. */
  async test(account: string, id: string): Promise<WebhookTest> {
    const record = await this.#records.find(account, id);
    const retryAfterSeconds = this.#parts.testEvents.take(account);
    if (retryAfterSeconds > 0) {
      const limit = `An account may send at most ${testEventsPerMinute} test events per minute. Wait before the next one`;
      throw new PosternError('webhook_test_limit', limit, { retryAfterSeconds });
    }
    const sent = await sendTestEvent(record, this.#parts);
    if (sent) return sent;
    await this.#records.find(account, id);
    throw new PosternError(
      'webhook_changed',
      'The URL of the webhook was changed while the test event was being sent. Retry',
    );
  }

  /** Queues events of the last 24 h again, for one webhook or for all valid webhooks that are not paused. */
  async replay(
    account: string,
    id: string | null,
    filter: ReplayFilter,
  ): Promise<{ replayed: number; webhooks: { id: string; replayed: number }[] }> {
    const { store, runtime } = this.#parts;
    const records =
      id === null ? await this.#records.list(account, maxPerAccount) : [await this.#records.find(account, id)];
    if (id !== null && records[0]?.pausedAt) throw paused();
    const rechecks = records
      .filter(({ valid, pausedAt }) => valid && pausedAt === null)
      .map((record) => this.#recheck(record));
    // A webhook that is deleted in the meantime is skipped, unless the caller requested this webhook.
    const checked = (await Promise.all(id === null ? rechecks.map(unlessGone) : rechecks)).filter(
      (found) => found !== null,
    );
    const valid = checked.filter((record) => record.valid);
    if (id !== null && valid.length === 0) {
      const reason = (checked[0] ?? records[0])?.lastError ?? 'validate it first';
      throw new PosternError('webhook_invalid', `The webhook is not valid, so nothing can be replayed: ${reason}`);
    }
    await sleep(runtime, resultsMs);
    const webhooks: { id: string; replayed: number }[] = [];
    for (const { id } of valid) {
      const queue = () => this.#records.stored(store.deliveries.replay(account, id, filter));
      webhooks.push({ id, replayed: await this.#records.locks.replays.run(account, queue) });
    }
    return { replayed: webhooks.reduce((sum, { replayed }) => sum + replayed, 0), webhooks };
  }

  /** Queues one event of the last 24 h again. Returns its delivery. */
  async resend(account: string, id: string, event: string): Promise<DeliveryView> {
    await this.#find(account, id, event);
    await this.replay(account, id, { event });
    return deliveryView((await this.#find(account, id, event)).delivery);
  }

  /** Runs the CRC before a replay. */
  async #recheck(record: WebhookRecord): Promise<WebhookRecord> {
    const { store } = this.#parts;
    return this.#records.rewriteChecked(record.account, record.id, null, async (now, crc) =>
      this.#records.proven(afterCheck(now, crc, store.now()), crc),
    );
  }

  /** Lists deliveries, newest event first. */
  async deliveries(account: string, id: string, count: number, cursor: string | null): Promise<Page<DeliveryView>> {
    await this.#records.find(account, id);
    const after = readPosition<DeliveryPosition>(cursor);
    const found = await this.#records.stored(this.#parts.store.deliveries.list(account, id, count + 1, after));
    return pageOfRecords(found, count, deliveryView, ({ eventAt: at, event }) => ({ at, event }));
  }

  /** Returns one delivery with its attempts. Throws `not_found`. */
  async delivery(account: string, id: string, event: string): Promise<DeliveryDetailView> {
    const { delivery, attempts } = await this.#find(account, id, event);
    const opened = attempts.map((each) => attemptView(event, each, this.#exchange(account, event, id, each)));
    return { ...deliveryView(delivery), attempts: opened };
  }

  async #find(account: string, id: string, event: string) {
    await this.#records.find(account, id);
    const found = await this.#records.stored(this.#parts.store.deliveries.find(account, id, event));
    if (!found) throw new PosternError('delivery_not_found', `Delivery not found: ${event}`);
    return found;
  }

  /** Returns `null` if the exchange was encrypted with a key that was dropped. */
  #exchange(account: string, event: string, webhook: string, { exchange }: LoggedAttempt): AttemptExchange | null {
    if (exchange === null) return null;
    return decryptedOrNull(() => this.#parts.vault.openExchange(account, event, webhook, exchange));
  }
}

function paused(): PosternError {
  const remedy = 'Resume it first, with PATCH /webhooks/{id} and paused: false';
  return new PosternError('webhook_paused', `The webhook is paused, so nothing can be replayed. ${remedy}`);
}

async function unlessGone(found: Promise<WebhookRecord>): Promise<WebhookRecord | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PosternError && error.code === 'not_found') return null;
    throw error;
  }
}
