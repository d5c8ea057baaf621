import type {
  Append,
  AuditEntry,
  ConnectionRecord,
  DeliveryResult,
  DeliveryState,
  KeyRecord,
  LedgerCommit,
  NewPoller,
  PollerRecord,
  Store,
  WebhookRecord,
} from '../../src/store/port.ts';
import type { StoreFixture } from './conformance.ts';

/** What the tests of the store port use. */
export interface StoreTest {
  fixture: StoreFixture;
  store: Store;
}

/** The parts of a commit of account `a` that changes nothing. */
const emptyCommit = { account: 'a', begins: false, release: 0, settle: [], late: [], reserve: [] };

export function apiKey(id: string, parts: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    account: 'a',
    name: `name of ${id}`,
    prefix: `pst_${id}`,
    hash: `hash-${id}`,
    restrictions: null,
    createdAt: 3,
    lastUsedAt: null,
    revokedAt: null,
    ...parts,
  };
}

/** Returns a commit of generation 1 with the current time. The id of its writer is also `id`. */
export const makeCommit = ({ now }: { now(): number }, id: string, parts: Partial<LedgerCommit>): LedgerCommit => ({
  ...emptyCommit,
  id,
  writer: id,
  generation: 1,
  createdAt: now(),
  ...parts,
});

export const auditEntry = (id: string, parts: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  account: 'a',
  at: 1,
  action: 'key.created',
  details: { groups: 'tweet,user' },
  by: { type: 'key', id: 'k', name: 'A key' },
  subject: { type: 'key', id: 's', name: 'A subject' },
  ...parts,
});

/** Returns an active connection of account `a`. */
export function connection(id: string, parts: Partial<ConnectionRecord> = {}): ConnectionRecord {
  return {
    id,
    account: 'a',
    status: 'active',
    scopes: ['tweet.read', 'users.read'],
    userId: '17',
    login: `sealed login of ${id}`,
    signIn: null,
    signInEndsAt: null,
    error: null,
    createdAt: 1,
    lastUsedAt: null,
    expiresAt: null,
    refreshing: null,
    revokeAt: null,
    goneAt: null,
    ...parts,
  };
}

export function poller(id = 'p1', parts: Partial<NewPoller> = {}): NewPoller {
  return { id, account: 'a', sealed: `sealed of ${id}`, createdAt: 1, ...parts };
}

/** Returns a webhook of account `a` and poller `p1`. */
export function webhook(id: string, parts: Partial<WebhookRecord> = {}): WebhookRecord {
  return {
    id,
    account: 'a',
    poller: 'p1',
    createdAt: 1,
    url: `https://${id}.test/`,
    sealed: `sealed of ${id}`,
    hasEncryptionCode: false,
    events: null,
    valid: true,
    keptSince: 1,
    lastValidatedAt: 1,
    failingSince: null,
    lastDeliveryAt: null,
    undeliveredSince: null,
    undeliveredError: null,
    pausedAt: null,
    lastError: null,
    revision: 1,
    ...parts,
  };
}

/** Values of `lastError` that earlier releases stored. The first two are copies of other fields. */
export const copiedErrors = [
  ['w1', 'Not polled any more: Platform rejected auth_token. PUT /webhooks/{id} with new credentials goes on'],
  [
    'w2',
    'Messages are not opened any more: Wrong encryption_code: 3 guesses remaining. PUT /webhooks/{id} with a new one',
  ],
  ['w3', 'CRC failed: it refuses connections'],
  ['w4', null],
] as const;

/** Creates a poller with these webhooks and claims it for `process`. */
export async function running(
  store: Store,
  webhooks: readonly string[] = ['w1'],
  { id = 'p1', account = 'a', process = 'one' } = {},
): Promise<PollerRecord> {
  for (const each of webhooks) {
    await store.webhooks.create(webhook(each, { account, poller: id }), poller(id, { account }), 1_000);
  }
  const claimed = (await store.pollers.claim(process, 1_000)).find((one) => one.id === id && one.account === account);
  if (!claimed) throw new Error(`poller ${id} cannot be claimed`);
  return claimed;
}

export function append(
  to: PollerRecord,
  events: readonly string[],
  webhooks: readonly string[] = ['w1'],
  cursor = `behind ${events.at(-1)}`,
): Append {
  return {
    poller: to,
    cursor,
    events: events.map((id) => ({ id, type: 'tweet.like', sealed: `bytes of ${id}` })),
    deliveries: events.flatMap((event) => webhooks.map((one) => ({ event, webhook: one }))),
  };
}

export function result(event: string, state: DeliveryState, parts: Partial<DeliveryResult> = {}): DeliveryResult {
  const delivered = state === 'delivered';
  return {
    event,
    webhook: 'w1',
    state,
    attempts: 1,
    nextAt: null,
    last: {
      at: 5,
      durationMs: 12,
      responseCode: delivered ? 200 : 500,
      error: delivered ? null : 'It answered 500',
    },
    exchange: 'sealed exchange',
    ...parts,
  };
}

/** Returns `e001` to `e{count}`. */
export function names(count: number, from = 1): string[] {
  return Array.from({ length: count }, (_, index) => `e${String(from + index).padStart(3, '0')}`);
}

export function ids<T extends { id: string }>(list: readonly T[]): string[] {
  return list.map(({ id }) => id);
}

/** Returns the events of a webhook's waiting deliveries. */
export async function waits(store: Store, id = 'w1', replayed = false): Promise<string[]> {
  return (await store.deliveries.waiting('a', id, replayed, 1_000)).map(({ event }) => event);
}
