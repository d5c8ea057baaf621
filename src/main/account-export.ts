import { AccountAdmin } from '../billing/account-admin.ts';
import { viewOfEntry } from '../billing/account-service.ts';
import { viewOfRestrictions } from '../billing/key-restrictions.ts';
import { sealedLogins } from '../connections/records.ts';
import type { Config } from '../shared/config/config.ts';
import { formatDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import { decryptedOrNull, Vault } from '../shared/secrets/vault.ts';
import type {
  AuditMark,
  ConnectionPosition,
  DeliveryPosition,
  PaymentMark,
  Store,
  WebhookPosition,
  WebhookRecord,
} from '../store/port.ts';
import { deliveryView } from '../webhooks/registration/views.ts';
import { WebhookVault } from '../webhooks/shared/secrets.ts';
import { findSecretKeys } from './open-secret-keys.ts';

const pageSize = 200;
const hourMs = 3_600_000;
/** The number of hours of usage that are read at once. */
const hoursAtOnce = 24 * 7;

type Line = Readonly<Record<string, unknown>>;

/**
 * Yields all data of an account: one object for each record, with its kind in `type`. Contains no secrets: no hashes of keys, no secrets
 * and credentials of webhooks, no logins of connections. Holds one page of records in memory. Throws `NoSuchAccountError`, or an error with
 * advice if the secret key does not decrypt the webhooks.
 */
export async function* exportAccount(store: Store, config: Config, id: string): AsyncGenerator<Line> {
  const { name, createdAt, rateLimit, lowCreditThreshold } = await new AccountAdmin(store, systemRuntime).find(id);
  const keys = await findSecretKeys(config, store.secretCheck, systemRuntime);
  const secrets = new Vault(keys, systemRuntime);
  const vault = new WebhookVault(secrets, keys);
  const balance = await store.ledger.balance(id);
  yield {
    type: 'account',
    id,
    name,
    created_at: formatIsoTime(createdAt),
    rate_limit: rateLimit,
    low_credit_threshold: dollars(lowCreditThreshold),
    balance: dollars(balance?.avail),
    held: dollars(balance?.held),
    charged: dollars(balance?.charged),
    paid: dollars(balance?.paid),
  };
  for (const key of await store.keys.list(id)) {
    yield {
      type: 'key',
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      created_at: formatIsoTime(key.createdAt),
      last_used_at: time(key.lastUsedAt),
      revoked_at: time(key.revokedAt),
      ...viewOfRestrictions(key.restrictions),
    };
  }
  for await (const payment of pages((after?: PaymentMark) => store.ledger.payments(id, pageSize, after))) {
    const { id: paymentId, micros, description, createdAt: at } = payment;
    yield { type: 'payment', id: paymentId, amount: dollars(micros), description, created_at: formatIsoTime(at) };
  }
  yield* usageOf(store, id, createdAt);
  for await (const record of pages((after?: WebhookPosition) => store.webhooks.list(id, pageSize, after))) {
    yield webhookLine(record, vault);
    const list = (after?: DeliveryPosition) => store.deliveries.list(id, record.id, pageSize, after);
    for await (const delivery of pages(list, ({ eventAt, event }) => ({ at: eventAt, event }))) {
      const { type: eventType, ...view } = deliveryView(delivery);
      yield { type: 'delivery', event_type: eventType, event_at: formatIsoTime(delivery.eventAt), ...view };
    }
  }
  const connections = (after?: ConnectionPosition) => store.connections.list(id, pageSize, after ?? null);
  const logins = sealedLogins(secrets);
  for await (const record of pages(connections)) {
    yield {
      type: 'connection',
      id: record.id,
      status: record.status,
      scopes: record.scopes,
      user_id: record.userId,
      user: logins.open(record)?.user ?? null,
      created_at: formatIsoTime(record.createdAt),
      last_used_at: time(record.lastUsedAt),
      expires_at: time(record.expiresAt),
      error: record.error,
    };
  }
  for await (const entry of pages((after?: AuditMark) => store.audit.list(id, pageSize, after))) {
    const { id: entryId, ...rest } = viewOfEntry(entry);
    yield { type: 'audit', id: entryId, ...rest };
  }
}

/** Yields the usage by hour and the errors of failed calls. The range is a day longer at both ends, because a clock may have been wrong. */
async function* usageOf(store: Store, id: string, createdAt: number): AsyncGenerator<Line> {
  const end = Math.floor(store.now() / hourMs) + 24;
  for (let from = Math.floor(createdAt / hourMs) - 24; from < end; from += hoursAtOnce) {
    for (const { hour, action, ...line } of await store.ledger.usage(id, from, from + hoursAtOnce)) {
      const amounts = { charged: dollars(line.micros), platform_cost: dollars(line.platformMicros) };
      yield { type: 'usage', hour: formatIsoTime(hour * hourMs), action, calls: line.calls, ...amounts };
    }
    for (const { hour, action, errors } of await store.statistics.list(id, from, from + hoursAtOnce)) {
      if (Object.keys(errors).length > 0) yield { type: 'errors', hour: formatIsoTime(hour * hourMs), action, errors };
    }
  }
}

function webhookLine(record: WebhookRecord, vault: WebhookVault): Line {
  return {
    type: 'webhook',
    id: record.id,
    url: decryptedOrNull(() => vault.openUrl(record)),
    events: record.events,
    has_encryption_code: record.hasEncryptionCode,
    valid: record.valid,
    created_at: formatIsoTime(record.createdAt),
    last_validated_at: time(record.lastValidatedAt),
    last_delivery_at: time(record.lastDeliveryAt),
    paused_at: time(record.pausedAt),
    last_error: record.lastError ?? record.undeliveredError,
  };
}

/** Yields all records of a list that is read in pages. The next page begins after the last record. */
async function* pages<Item, Position>(
  read: (after?: Position) => Promise<Item[]>,
  positionOf: (last: Item) => Position = (last) => last as unknown as Position,
): AsyncGenerator<Item> {
  for (let after: Position | undefined; ; ) {
    const items = await read(after);
    yield* items;
    const last = items.at(-1);
    if (items.length < pageSize || last === undefined) return;
    after = positionOf(last);
  }
}

function dollars(micros: number | null | undefined): string | null {
  return micros === null || micros === undefined ? null : formatDollars(micros);
}

function time(at: number | null): string | null {
  return at === null ? null : formatIsoTime(at);
}
