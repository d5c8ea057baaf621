import { orStoreAway } from '../billing/store-away.ts';
import { PosternError } from '../errors/postern-error.ts';
import type { EventType } from '../model/event.ts';
import type { Page } from '../model/page.ts';
import { formatIsoTime } from '../model/time.ts';
import type { CreatedWebhook, DeliveryView, WebhookTest, WebhookView } from '../model/webhook.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { DeliveryPosition, NewPoller, Store, WebhookPosition, WebhookRecord } from '../store/port.ts';
import { type CrcOutcome, checkReceiver } from './crc.ts';
import { afterCheck } from './daily-check.ts';
import type { LiveStream, LiveStreams } from './live-streams.ts';

import type { Receivers } from './receiver.ts';
import { type PollerCredentials, secretOverlapMs, type WebhookSecrets, type WebhookVault } from './secrets.ts';
import { stoppedError } from './stopped.ts';
import { TestBudget } from './test-budget.ts';
import { sendTestEvent } from './test-event.ts';
import { deliveryView, pageOf, readPosition, view } from './views.ts';

const maxPerAccount = 100;

export interface NewWebhook {
  account: string;
  /** Checked by `checkUrl`. */
  url: URL;
  /** The end of the platform's activity now: what comes after it is delivered. */
  cursor: string;
  events: EventType[] | null;
  secret: string | null;
  encryptionCode: string | null;
  credentials: PollerCredentials;
}

/** What a caller may change. `undefined` leaves it. */
export interface WebhookChange {
  url?: string | undefined;
  events?: EventType[] | null | undefined;
  credentials?: PollerCredentials | undefined;
}

export interface StreamOrder {
  account: string;
  credentials: PollerCredentials;
  /** The end of the platform's activity now. */
  cursor: string;
  types: readonly EventType[] | null;
  after: string | null;
}

export interface WebhookServiceParts {
  streams: LiveStreams;
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
}

/** Webhooks of API accounts: what callers do with them (SPEC.md, Webhooks). */
export class WebhookService {
  readonly #parts: WebhookServiceParts;
  readonly #tests: TestBudget;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
    this.#tests = new TestBudget(parts.runtime);
  }

  /** Throws `bad_input`. */
  checkUrl(text: string): URL {
    return this.#parts.receivers.readUrl(text);
  }

  /** A live stream of what webhooks of this actor would get. */
  async stream({ account, credentials, cursor, types, after }: StreamOrder): Promise<LiveStream> {
    const poller = { ...(await this.#pollerOf(account, credentials)), cursor };
    return this.#parts.streams.open({ poller, types, after });
  }

  /** Registers it and runs the CRC. Throws `bad_input`, or `rate_limited` beyond 100 of an account. */
  async create({
    account,
    url,
    cursor,
    events,
    secret,
    encryptionCode,
    credentials,
  }: NewWebhook): Promise<CreatedWebhook> {
    const { store, vault, receivers, runtime } = this.#parts;
    const id = `wh_${runtime.randomBytes(12).toString('base64url')}`;
    const secrets: WebhookSecrets = {
      secret: secret ?? runtime.randomBytes(24).toString('base64url'),
      proven: true,
      previous: null,
      encryptionCode,
    };
    const crc = await checkReceiver(receivers, url, secrets.secret);
    const now = store.now();
    const valid = crc.result === 'passed';
    const poller = { ...(await this.#pollerOf(account, credentials)), cursor };
    const webhook: WebhookRecord = {
      ...{ id, account, poller: poller.id, createdAt: now, url: url.href, events },
      sealed: vault.seal({ account, id }, secrets),
      hasEncryptionCode: encryptionCode !== null,
      ...{ valid, keptSince: valid ? now : null, lastValidatedAt: valid ? now : null },
      ...{ failingSince: null, lastDeliveryAt: null, lastError: valid ? null : crc.reason, revision: 0 },
    };
    if ((await this.#stored(store.webhooks.create(webhook, poller, maxPerAccount))) === 'too_many') {
      throw new PosternError('rate_limited', `An account may have ${maxPerAccount} webhooks: delete one first`);
    }
    // The platform has just taken these credentials: a poller that had stopped over them goes on.
    await this.#stored(store.pollers.renew(poller));
    return { id, url: url.href, valid, created_at: formatIsoTime(now), secret: secrets.secret };
  }

  async find(account: string, id: string): Promise<WebhookView> {
    return view(await this.#record(account, id));
  }

  /** Newest first. */
  async list(account: string, count: number, cursor: string | null): Promise<Page<WebhookView>> {
    const after = readPosition<WebhookPosition>(cursor);
    const found = await this.#stored(this.#parts.store.webhooks.list(account, count + 1, after));
    return pageOf(found, count, view, ({ createdAt, id }) => ({ createdAt, id }));
  }

  /** Runs the CRC again, and polls with these credentials from now on where some are given. The webhook says how it went. */
  async validate(account: string, id: string, credentials: PollerCredentials | undefined): Promise<WebhookView> {
    return this.#change(account, id, { credentials }, true);
  }

  /** A new url is invalid until its CRC passes, which is tried at once. */
  async update(account: string, id: string, change: Pick<WebhookChange, 'url' | 'events'>): Promise<WebhookView> {
    return this.#change(account, id, change, change.url !== undefined);
  }

  async remove(account: string, id: string): Promise<{ id: string; deleted: true }> {
    if (!(await this.#stored(this.#parts.store.webhooks.remove(account, id)))) throw notFound(id);
    return { id, deleted: true };
  }

  /** The old secret signs beside the new one for 24 h. */
  async rotateSecret(account: string, id: string): Promise<{ id: string; secret: string }> {
    const { store, vault, runtime } = this.#parts;
    const secret = runtime.randomBytes(24).toString('base64url');
    await this.#rewrite(account, id, async (record) => {
      const before = vault.open(record);
      // One that no handshake has proven is with no receiver yet: the one before it is.
      const kept = before.proven || before.previous === null ? before.secret : before.previous.secret;
      const previous = { secret: kept, until: store.now() + secretOverlapMs };
      return { ...record, sealed: vault.seal(record, { ...before, secret, proven: false, previous }) };
    });
    return { id, secret };
  }

  /** Sends a signed `webhook.test` event now. */
  async test(account: string, id: string): Promise<WebhookTest> {
    const record = await this.#record(account, id);
    this.#tests.take(account);
    return sendTestEvent(record, this.#parts);
  }

  /** Queues the events of the last 24 h again, of one webhook or of all that are valid. */
  async replay(
    account: string,
    id: string | null,
  ): Promise<{ replayed: number; webhooks: { id: string; replayed: number }[] }> {
    const { store } = this.#parts;
    const records =
      id === null ? await this.#stored(store.webhooks.list(account, maxPerAccount)) : [await this.#record(account, id)];
    const checked = await Promise.all(records.filter(({ valid }) => valid).map((record) => this.#recheck(record)));
    const valid = checked.filter((record) => record.valid);
    if (id !== null && valid.length === 0) {
      const reason = (checked[0] ?? records[0])?.lastError ?? 'validate it first';
      throw new PosternError('conflict', `The webhook is not valid, so nothing can be replayed: ${reason}`);
    }
    const webhooks: { id: string; replayed: number }[] = [];
    for (const { id } of valid) {
      webhooks.push({ id, replayed: await this.#stored(store.deliveries.replay(account, id)) });
    }
    return { replayed: webhooks.reduce((sum, { replayed }) => sum + replayed, 0), webhooks };
  }

  /** The CRC that comes before a replay. */
  async #recheck(record: WebhookRecord): Promise<WebhookRecord> {
    const { store, vault, receivers } = this.#parts;
    return this.#rewrite(record.account, record.id, async (now) => {
      const crc = await checkReceiver(receivers, new URL(now.url), vault.open(now).secret);
      return this.#told(proven(afterCheck(now, crc, store.now()), crc, vault), crc);
    });
  }

  /** Newest event first. */
  async deliveries(account: string, id: string, count: number, cursor: string | null): Promise<Page<DeliveryView>> {
    await this.#record(account, id);
    const after = readPosition<DeliveryPosition>(cursor);
    const found = await this.#stored(this.#parts.store.deliveries.list(account, id, count + 1, after));
    return pageOf(found, count, deliveryView, ({ eventAt: at, event }) => ({ at, event }));
  }

  async #change(account: string, id: string, change: WebhookChange, checked: boolean): Promise<WebhookView> {
    const { store, vault, receivers } = this.#parts;
    const url = change.url === undefined ? null : receivers.readUrl(change.url);
    const poller = change.credentials && (await this.#successor(account, id, change.credentials));
    const rewritten = await this.#rewrite(
      account,
      id,
      async (record) => {
        const { secret } = vault.open(record);
        const crc = checked ? await checkReceiver(receivers, url ?? new URL(record.url), secret) : null;
        const now = store.now();
        const changed: WebhookRecord = {
          ...record,
          ...(url && { url: url.href }),
          ...(change.events !== undefined && { events: change.events }),
          ...(poller && { poller: poller.id }),
        };
        if (!crc) return changed;
        const valid = crc.result === 'passed';
        const outcome = {
          ...{ ...changed, valid, lastError: valid ? null : crc.reason, failingSince: null },
          ...(valid && { lastValidatedAt: now, keptSince: record.keptSince ?? now }),
        };
        return this.#told(proven(outcome, crc, vault), poller ? null : crc);
      },
      poller,
    );
    // Only now: what the platform says of these credentials is told to the webhooks that are there.
    if (poller) await this.#stored(store.pollers.renew(poller));
    return view(rewritten);
  }

  /** Goes on where the poller before it is: what happened meanwhile is not lost, if it is the same actor's. */
  async #successor(account: string, id: string, credentials: PollerCredentials): Promise<NewPoller> {
    const { poller } = await this.#record(account, id);
    const before = await this.#stored(this.#parts.store.pollers.find(account, poller));
    return { ...(await this.#pollerOf(account, credentials)), cursor: before?.cursor ?? null };
  }

  /** A handshake that passed does not mend credentials that the platform refused. */
  async #told(record: WebhookRecord, crc: CrcOutcome | null): Promise<WebhookRecord> {
    if (crc?.result !== 'passed') return record;
    const poller = await this.#stored(this.#parts.store.pollers.find(record.account, record.poller));
    return poller?.stopped ? { ...record, lastError: stoppedError(poller.stopped) } : record;
  }

  /** Reads, changes and writes it until nobody else did so in between. */
  async #rewrite(
    account: string,
    id: string,
    change: (record: WebhookRecord) => Promise<WebhookRecord>,
    poller?: NewPoller,
  ): Promise<WebhookRecord> {
    for (;;) {
      const changed = await change(await this.#record(account, id));
      if (await this.#stored(this.#parts.store.webhooks.update(changed, poller))) return changed;
    }
  }

  async #record(account: string, id: string): Promise<WebhookRecord> {
    const record = await this.#stored(this.#parts.store.webhooks.find(account, id));
    if (!record) throw notFound(id);
    return record;
  }

  /** The poller that is there already, under whichever key its id was made; else a new one. */
  async #pollerOf(account: string, credentials: PollerCredentials) {
    const { store, vault } = this.#parts;
    const ids = vault.pollerIds(account, credentials);
    let id = ids[0] ?? '';
    for (const known of ids.slice(1)) if (await this.#stored(store.pollers.find(account, known))) id = known;
    return { id, account, sealed: vault.sealPoller(account, id, credentials), createdAt: store.now() };
  }

  #stored<T>(asked: Promise<T>): Promise<T> {
    return orStoreAway(asked, 'webhooks cannot be looked up');
  }
}

/** A receiver that passes a CRC knows the newest secret. */
function proven(record: WebhookRecord, crc: CrcOutcome, vault: WebhookVault): WebhookRecord {
  const secrets = vault.open(record);
  if (crc.result !== 'passed' || secrets.proven) return record;
  return { ...record, sealed: vault.seal(record, { ...secrets, proven: true }) };
}

function notFound(id: string): PosternError {
  return new PosternError('not_found', `Webhook not found: ${id}`);
}
