import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { NewPoller, WebhookRecord, WebhookStore } from '../port.ts';
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
  last_error: string | null;
  revision: number;
}

/** What `update` sets, in the order of `changing`. */
const changingColumns =
  'poller, url, sealed, has_encryption_code, events, valid, kept_since, last_validated_at, failing_since, last_error';
const columns = `id, account, created_at, last_delivery_at, revision, ${changingColumns}`;
/** Rows in one transaction. */
const batchSize = 500;

export function sqliteWebhooks(database: Database, group: WriteGroup, runtime: Runtime): WebhookStore {
  const pollers = pollerRows(database);
  let hadPlainUrls = false;

  const find = (account: string, id: string) =>
    database.get<WebhookRow>(`SELECT ${columns} FROM webhook WHERE id = ? AND account = ?`, [id, account]);

  function join(poller: NewPoller): void {
    pollers.ensure(poller, runtime.now());
    pollers.setSealed(poller);
  }

  function create(webhook: WebhookRecord, poller: NewPoller, limit: number): 'created' | 'too_many' {
    if (find(webhook.account, webhook.id)) return 'created';
    const sql = 'SELECT COUNT(*) AS count FROM webhook WHERE account = ?';
    const count = database.get<{ count: number }>(sql, [webhook.account])?.count ?? 0;
    if (count >= limit) return 'too_many';
    join(poller);
    const { id, account, createdAt, lastDeliveryAt, revision } = webhook;
    database.run(`INSERT INTO webhook (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      ...[id, account, createdAt, lastDeliveryAt, revision],
      ...changing(webhook),
    ]);
    pollers.recount(webhook.poller);
    return 'created';
  }

  function update(webhook: WebhookRecord, poller: NewPoller | undefined): boolean {
    const { id, account, revision } = webhook;
    const before = find(account, id);
    if (!before || before.revision !== revision) return false;
    if (poller) join(poller);
    else if (webhook.poller !== before.poller && !pollers.isKept(account, webhook.poller, runtime.now())) {
      throw new Error(`webhook ${id} cannot move to a poller that is not there`);
    }
    const set = changingColumns.replaceAll(',', ' = ?,');
    database.run(`UPDATE webhook SET revision = revision + 1, ${set} = ? WHERE id = ?`, [...changing(webhook), id]);
    for (const changed of new Set([before.poller, webhook.poller])) pollers.recount(changed);
    return true;
  }

  return {
    ...sqliteHandshakes(database, group, runtime),

    create: (webhook, poller, limit) => group.add(() => create(webhook, poller, limit)),

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
      const sql = `SELECT ${columns} FROM webhook WHERE url LIKE 'http%' LIMIT ?`;
      const found = database.all<WebhookRow>(sql, [limit]).map(toWebhook);
      // Pages that held one are in the log and, until a checkpoint, in the file.
      if (found.length === 0 && hadPlainUrls) database.get('PRAGMA wal_checkpoint(TRUNCATE)');
      hadPlainUrls = found.length > 0;
      return found;
    },

    async ofPoller(account, poller) {
      const sql = `SELECT ${columns} FROM webhook WHERE poller = ? AND account = ? ORDER BY created_at, id`;
      return database.all<WebhookRow>(sql, [poller, account]).map(toWebhook);
    },

    update: (webhook, poller) => group.add(() => update(webhook, poller)),

    async remove(account, id) {
      const removed = await group.add(() => {
        const row = find(account, id);
        if (!row) return false;
        database.run('DELETE FROM webhook WHERE id = ?', [id]);
        pollers.recount(row.poller);
        return true;
      });
      const sql =
        'DELETE FROM delivery WHERE number IN (SELECT number FROM delivery WHERE webhook = ? AND account = ? LIMIT ?)';
      while (removed && (await group.add(() => database.run(sql, [id, account, batchSize]))) === batchSize) {
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
    ...[webhook.lastValidatedAt, webhook.failingSince, webhook.lastError],
  ];
}

function toWebhook(row: WebhookRow): WebhookRecord {
  return {
    ...{ id: row.id, account: row.account, poller: row.poller, createdAt: row.created_at, url: row.url },
    ...{ sealed: row.sealed, hasEncryptionCode: row.has_encryption_code === 1 },
    ...{ events: row.events === null ? null : (JSON.parse(row.events) as string[]), valid: row.valid === 1 },
    ...{ keptSince: row.kept_since, lastValidatedAt: row.last_validated_at, failingSince: row.failing_since },
    ...{ lastDeliveryAt: row.last_delivery_at, lastError: row.last_error, revision: row.revision },
  };
}
