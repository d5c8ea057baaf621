import { PosternError } from '../shared/errors/postern-error.ts';
import type { EventType, LiveStream } from '../shared/model/event.ts';
import type { Page } from '../shared/model/page.ts';
import type { CreatedWebhook, DeliveryView, WebhookTest, WebhookView } from '../shared/model/webhook.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { DeliveryPosition, Store, WebhookPosition, WebhookRecord } from '../store/port.ts';
import type { Receivers } from './delivery/receiver.ts';
import type { SendGate } from './delivery/send-gate.ts';
import { afterCheck } from './registration/daily-check.ts';
import type { Handshakes } from './registration/handshakes.ts';
import { notFound, WebhookRecords } from './registration/records.ts';
import { maxPerAccount, type NewWebhook, Registration, type WebhookChange } from './registration/registration.ts';
import { sendTestEvent, TestBudget } from './registration/test-event.ts';
import { deliveryView, pageOf, readPosition, view } from './registration/views.ts';
import type { MessageOpener } from './shared/message-opener.ts';
import type { PlatformAccess } from './shared/platform-access.ts';
import { type PollerCredentials, secretOverlapMs, type WebhookVault } from './shared/secrets.ts';
import type { LiveStreams } from './streams/live-streams.ts';

export interface StreamOrder {
  account: string;
  credentials: PollerCredentials;
  /** The current end of the platform's activity. */
  cursor: string;
  types: readonly EventType[] | null;
  after: string | null;
  encryptionCode: string | null;
}

export interface WebhookServiceParts extends PlatformAccess {
  streams: LiveStreams;
  opener: MessageOpener;
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  handshakes: Handshakes;
  gate: SendGate;
}

/** Serves the calls about webhooks (docs/webhooks.md, Registration). */
export class WebhookService {
  readonly #parts: WebhookServiceParts;
  readonly #records: WebhookRecords;
  readonly #registration: Registration;
  readonly #tests: TestBudget;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
    this.#records = new WebhookRecords(parts);
    this.#registration = new Registration({ ...parts, records: this.#records });
    this.#tests = new TestBudget(parts.runtime);
  }

  /** Reads the URL of a receiver. Throws `bad_input`. */
  checkUrl(text: string): URL {
    return this.#parts.receivers.readUrl(text);
  }

  /** Opens a live stream of the events that webhooks of this actor would get. */
  async stream({ account, credentials, cursor, types, after, encryptionCode: code }: StreamOrder): Promise<LiveStream> {
    const opening = code === null ? null : { account, credentials, code };
    if (opening) await this.#parts.opener.check(opening);
    const poller = { ...(await this.#records.pollerOf(account, credentials)), cursor };
    return this.#parts.streams.open({ poller, types, after, opening });
  }

  /** Registers a webhook and runs the CRC. Throws `bad_input`, or `rate_limited` if the account has 100 webhooks. */
  create(wish: NewWebhook): Promise<CreatedWebhook> {
    return this.#registration.create(wish);
  }

  async find(account: string, id: string): Promise<WebhookView> {
    return this.#view(await this.#records.find(account, id));
  }

  async #view(record: WebhookRecord): Promise<WebhookView> {
    const { store, vault } = this.#parts;
    const poller = await this.#records.stored(store.pollers.find(record.account, record.poller));
    return view(record, vault.openUrl(record), {
      stopped: poller?.stopped ?? null,
      unreachable: poller && vault.openUnreachable(poller),
      codeRefused: vault.open(record).codeRefused,
    });
  }

  /** Lists webhooks, newest first. */
  async list(account: string, count: number, cursor: string | null): Promise<Page<WebhookView>> {
    const after = readPosition<WebhookPosition>(cursor);
    const found = await this.#records.stored(this.#parts.store.webhooks.list(account, count + 1, after));
    const { items, cursor: next } = pageOf(
      found,
      count,
      (record) => record,
      ({ createdAt, id }) => ({ createdAt, id }),
    );
    return { items: await Promise.all(items.map((record) => this.#view(record))), cursor: next };
  }

  /** Runs the CRC again, with new credentials or a new code if they are given. The returned webhook has the result. */
  async validate(
    account: string,
    id: string,
    renewed: Pick<WebhookChange, 'credentials' | 'encryptionCode'>,
  ): Promise<WebhookView> {
    return this.#view(await this.#registration.change(account, id, renewed, true));
  }

  /** Changes the URL or the events. A new URL is checked with a CRC at once, and is invalid if that fails. */
  async update(account: string, id: string, change: Pick<WebhookChange, 'url' | 'events'>): Promise<WebhookView> {
    return this.#view(await this.#registration.change(account, id, change, change.url !== undefined));
  }

  async remove(account: string, id: string): Promise<{ id: string; deleted: true }> {
    if (!(await this.#records.stored(this.#parts.store.webhooks.remove(account, id)))) throw notFound(id);
    this.#parts.gate.retire(id, Number.POSITIVE_INFINITY);
    return { id, deleted: true };
  }

  /** Makes a new secret. The old one also signs for 24 h. */
  async rotateSecret(account: string, id: string): Promise<{ id: string; secret: string }> {
    const { store, vault, runtime } = this.#parts;
    const secret = runtime.randomBytes(24).toString('base64url');
    await this.#records.rewrite(account, id, async (record) => {
      const before = vault.open(record);
      // A receiver that has not passed a handshake with the newest secret still uses the one before.
      const kept = before.proven || before.previous === null ? before.secret : before.previous.secret;
      const previous = { secret: kept, until: store.now() + secretOverlapMs };
      return { ...record, sealed: vault.seal(record, { ...before, secret, proven: false, previous }) };
    });
    return { id, secret };
  }

  /** Sends a signed `webhook.test` event now. */
  async test(account: string, id: string): Promise<WebhookTest> {
    const record = await this.#records.find(account, id);
    this.#tests.take(account);
    const sent = await sendTestEvent(record, this.#parts);
    if (sent) return sent;
    await this.#records.find(account, id);
    throw new PosternError(
      'webhook_changed',
      'The URL of the webhook was changed while the test event was sent: send it again',
    );
  }

  /** Queues the events of the last 24 h again, of one webhook or of all that are valid. */
  async replay(
    account: string,
    id: string | null,
  ): Promise<{ replayed: number; webhooks: { id: string; replayed: number }[] }> {
    const { store } = this.#parts;
    const records =
      id === null
        ? await this.#records.stored(store.webhooks.list(account, maxPerAccount))
        : [await this.#records.find(account, id)];
    const rechecks = records.filter(({ valid }) => valid).map((record) => this.#recheck(record));
    // A webhook that is deleted meanwhile is left out, unless the caller named it.
    const checked = (await Promise.all(id === null ? rechecks.map(unlessGone) : rechecks)).filter(
      (found) => found !== null,
    );
    const valid = checked.filter((record) => record.valid);
    if (id !== null && valid.length === 0) {
      const reason = (checked[0] ?? records[0])?.lastError ?? 'validate it first';
      throw new PosternError('webhook_invalid', `The webhook is not valid, so nothing can be replayed: ${reason}`);
    }
    const webhooks: { id: string; replayed: number }[] = [];
    for (const { id } of valid) {
      webhooks.push({ id, replayed: await this.#records.stored(store.deliveries.replay(account, id)) });
    }
    return { replayed: webhooks.reduce((sum, { replayed }) => sum + replayed, 0), webhooks };
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
    return pageOf(found, count, deliveryView, ({ eventAt: at, event }) => ({ at, event }));
  }
}

async function unlessGone(found: Promise<WebhookRecord>): Promise<WebhookRecord | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PosternError && error.code === 'not_found') return null;
    throw error;
  }
}
