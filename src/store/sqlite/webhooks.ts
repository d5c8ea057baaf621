import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { AuditEntry, ComparedWebhook, NewPoller, WebhookRecord, WebhookStore } from '../port.ts';
import { hasUncompared } from '../webhook-rules.ts';
import { addAudit } from './audit.ts';
import type { Database, SqliteValue } from './database.ts';
import type { WriteGroup } from './group.ts';
import { sqliteHandshakes } from './handshakes.ts';
import { pollerRows } from './poller-rows.ts';

interface WebhookRow {
  id: string;
  account: string;
  poller: string;
  created_at: number;
  url: string;
  sealed: string;
  has_encryption_code: number;
  events: string | null;
  valid: number;
  kept_since: number | null;
  last_validated_at: number | null;
  failing_since: number | null;
  last_delivery_at: number | null;
  undelivered_since: number | null;
  undelivered_error: string | null;
  paused_at: number | null;
  last_error: string | null;
  revision: number;
}

/** The columns that `update` sets, in the order of `changing`. */
const changingColumns =
  'poller, url, sealed, has_encryption_code, events, valid, kept_since, last_validated_at, failing_since, last_error, paused_at';
const columns = `id, account, created_at, last_delivery_at, undelivered_since, undelivered_error, revision, ${changingColumns}`;
/** The number of rows in one transaction. */
const batchSize = 500;

export function sqliteWebhooks(database: Database, group: WriteGroup, runtime: Runtime): WebhookStore {
  const pollers = pollerRows(database);
  let hadPlainUrls = false;

  const find = (account: string, id: string) =>
    database.get<WebhookRow>(`SELECT ${columns} FROM webhook WHERE id = ? AND account = ?`, [id, account]);

  const targets = (account: string) =>
    database.all<ComparedWebhook>('SELECT id, poller, url FROM webhook WHERE account = ?', [account]);

  function join(poller: NewPoller): void {
    pollers.ensure(poller, runtime.now());
    pollers.setSealed(poller);
  }

  function create(
    webhook: WebhookRecord,
    poller: NewPoller,
    limit: number,
    audit: AuditEntry | undefined,
    compared: readonly ComparedWebhook[] | undefined,
  ): 'created' | 'too_many' | 'changed' {
    const stored = targets(webhook.account);
    if (stored.some(({ id }) => id === webhook.id)) return 'created';
    if (compared && hasUncompared(stored, compared, webhook.id)) return 'changed';
    if (stored.length >= limit) return 'too_many';
    join(poller);
    const { id, account, createdAt, lastDeliveryAt, undeliveredSince, undeliveredError, revision } = webhook;
    const values = [
      ...[id, account, createdAt, lastDeliveryAt, undeliveredSince, undeliveredError, revision],
      ...changing(webhook),
    ];
    database.run(`INSERT INTO webhook (${columns}) VALUES (${values.map(() => '?').join(', ')})`, values);
    pollers.recount(webhook.poller);
    addAudit(database, audit);
    return 'created';
  }

  function update(
    webhook: WebhookRecord,
    poller: NewPoller | undefined,
    audit: AuditEntry | undefined,
    compared: readonly ComparedWebhook[] | undefined,
  ): boolean {
    const { id, account, revision } = webhook;
    const before = find(account, id);
    if (!before || before.revision !== revision) return false;
    if (compared && hasUncompared(targets(account), compared, id)) return false;
    if (poller) join(poller);
    else if (webhook.poller !== before.poller && !pollers.isKept(account, webhook.poller, runtime.now())) {
      throw new Error(`webhook ${id} cannot move to a poller that does not exist`);
    }
    const set = changingColumns.replaceAll(',', ' = ?,');
    database.run(`UPDATE webhook SET revision = revision + 1, ${set} = ? WHERE id = ?`, [...changing(webhook), id]);
    if (webhook.url !== before.url) {
      database.run('UPDATE webhook SET undelivered_since = NULL, undelivered_error = NULL WHERE id = ?', [id]);
    }
    for (const changed of new Set([before.poller, webhook.poller])) pollers.recount(changed);
    addAudit(database, audit);
    return true;
  }

  return {
    ...sqliteHandshakes(database, group, runtime),

    create: (webhook, poller, limit, audit, compared) =>
      group.add(() => create(webhook, poller, limit, audit, compared)),

    async find(account, id) {
      const row = find(account, id);
      return row ? toWebhook(row) : null;
    },

    async list(account, limit, after) {
      const rows = database.all<WebhookRow>(
        `SELECT ${columns} FROM webhook WHERE account = ? ${after ? 'AND (created_at, id) < (?, ?)' : ''}
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        [account, ...(after ? [after.createdAt, after.id] : []), limit],
      );
      return rows.map(toWebhook);
    },

    async withPlainUrl(limit) {
      // These conditions are those of the index.
      const sql = `SELECT ${columns} FROM webhook WHERE url >= 'http' AND url < 'httq' LIMIT ?`;
      const found = database.all<WebhookRow>(sql, [limit]).map(toWebhook);
      // Plain URLs remain in the log until a checkpoint, so the log is emptied after the last one was encrypted.
      if (found.length === 0 && hadPlainUrls) database.get('PRAGMA wal_checkpoint(TRUNCATE)');
      hadPlainUrls = found.length > 0;
      return found;
    },

    async listAll(limit, after = '') {
      const sql = `SELECT ${columns} FROM webhook WHERE id > ? ORDER BY id LIMIT ?`;
      return database.all<WebhookRow>(sql, [after, limit]).map(toWebhook);
    },

    reseal: ({ account, id, revision, url, sealed }) =>
      group.add(() => {
        const sql = `UPDATE webhook SET url = ?, sealed = ?, revision = revision + 1
          WHERE id = ? AND account = ? AND revision = ?`;
        return database.run(sql, [url, sealed, id, account, revision]) === 1;
      }),

    async ofPoller(account, poller) {
      const sql = `SELECT ${columns} FROM webhook WHERE poller = ? AND account = ? ORDER BY created_at, id`;
      return database.all<WebhookRow>(sql, [poller, account]).map(toWebhook);
    },

    update: (webhook, poller, audit, compared) => group.add(() => update(webhook, poller, audit, compared)),

    async remove(account, id, audit) {
      const removed = await group.add(() => {
        const row = find(account, id);
        if (!row) return false;
        database.run('DELETE FROM webhook WHERE id = ?', [id]);
        pollers.recount(row.poller);
        addAudit(database, audit);
        return true;
      });
      const sql =
        'DELETE FROM delivery WHERE number IN (SELECT number FROM delivery WHERE webhook = ? AND account = ? LIMIT ?)';
      while ((await group.add(() => database.run(sql, [id, account, batchSize]))) === batchSize) {
        await nextTurn();
      }
      return removed;
    },
  };
}

function changing(webhook: WebhookRecord): SqliteValue[] {
  return [
    ...[webhook.poller, webhook.url, webhook.sealed, Number(webhook.hasEncryptionCode)],
    ...[webhook.events === null ? null : JSON.stringify(webhook.events), Number(webhook.valid), webhook.keptSince],
    ...[webhook.lastValidatedAt, webhook.failingSince, webhook.lastError, webhook.pausedAt],
  ];
}

function toWebhook(row: WebhookRow): WebhookRecord {
  return {
    id: row.id,
    account: row.account,
    poller: row.poller,
    createdAt: row.created_at,
    url: row.url,
    sealed: row.sealed,
    hasEncryptionCode: row.has_encryption_code === 1,
    events: row.events === null ? null : (JSON.parse(row.events) as string[]),
    valid: row.valid === 1,
    keptSince: row.kept_since,
    lastValidatedAt: row.last_validated_at,
    failingSince: row.failing_since,
    lastDeliveryAt: row.last_delivery_at,
    undeliveredSince: row.undelivered_since,
    undeliveredError: row.undelivered_error,
    pausedAt: row.paused_at,
    lastError: row.last_error,
    revision: row.revision,
  };
}
