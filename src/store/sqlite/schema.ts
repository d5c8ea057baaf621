import { webhookTables } from './schema-webhooks.ts';

/**
 * The shape of the database, as the steps that led to it. `PRAGMA user_version` counts the steps a file has taken.
 * A step that has been released is never edited: the next change is a new step at the end.
 *
 * `v` is the version of a row's own shape, so that a step may leave old rows as they are. Money is whole
 * micro-dollars. `avail >= 0` is the ledger's rule; the CHECK makes a fault of ours fail instead of lending money.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE account (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    paid INTEGER NOT NULL DEFAULT 0 CHECK (paid >= 0),
    charged INTEGER NOT NULL DEFAULT 0 CHECK (charged >= 0),
    avail INTEGER NOT NULL DEFAULT 0 CHECK (avail >= 0)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_by_account ON api_key (account, created_at, id);

  CREATE TABLE hold (
    account TEXT NOT NULL,
    writer TEXT NOT NULL,
    generation INTEGER NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    open INTEGER NOT NULL CHECK (open > 0),
    until INTEGER NOT NULL,
    PRIMARY KEY (account, writer, generation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX hold_by_until ON hold (until);

  CREATE TABLE usage (
    account TEXT NOT NULL,
    hour INTEGER NOT NULL,
    action TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    calls INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    PRIMARY KEY (account, hour, action)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_commit (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    at INTEGER NOT NULL,
    granted TEXT NOT NULL,
    late_charged TEXT NOT NULL,
    remaining INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ledger_commit_by_at ON ledger_commit (at);

  CREATE TABLE saved_answer (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (account, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE payment (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    micros INTEGER NOT NULL,
    description TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX payment_by_account ON payment (account, created_at, id);
  `,
  `
  ALTER TABLE account ADD COLUMN rate_limit INTEGER CHECK (rate_limit > 0);

  ALTER TABLE ledger_commit RENAME COLUMN late_charged TO late;
  ALTER TABLE ledger_commit ADD COLUMN settled TEXT NOT NULL DEFAULT '';

  DROP TABLE saved_answer;
  CREATE TABLE idempotency (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    since INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    answer TEXT,
    PRIMARY KEY (account, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_since ON idempotency (since);

  CREATE TABLE process (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Usage in the order of time: the rows that are written lie together, however many hours came before.
  `
  ALTER TABLE usage RENAME TO usage_by_account;
  CREATE TABLE usage (
    hour INTEGER NOT NULL,
    account TEXT NOT NULL,
    action TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    calls INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    PRIMARY KEY (hour, account, action)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage (hour, account, action, v, calls, micros)
    SELECT hour, account, action, v, calls, micros FROM usage_by_account ORDER BY hour, account, action;
  DROP TABLE usage_by_account;
  CREATE INDEX usage_by_account ON usage (account, hour, action);
  `,
  webhookTables,
  // The lease of a webhook's handshake and the outcome of the last one, as JSON.
  'ALTER TABLE webhook ADD COLUMN handshake TEXT',
  // Single values of the whole store, such as the check value of SECRET_KEY.
  `
  CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE poller ADD COLUMN unreachable TEXT',
  // Earlier releases copied what is now read from `poller.stopped`, and from the webhook's refused code, into `last_error`.
  `
  UPDATE webhook SET last_error = NULL
    WHERE last_error LIKE 'Not polled any more: %' OR last_error LIKE 'Messages are not opened any more: %';
  `,
];
