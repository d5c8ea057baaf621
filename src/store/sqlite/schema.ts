import { webhookTables } from './schema-webhooks.ts';

/**
 * The migrations of the database, in order. `PRAGMA user_version` counts the applied ones. A released migration must never be edited; a
 * change is a new migration at the end. `v` is the version of a row's shape, which allows a migration to leave old rows unchanged. Amounts
 * of money are integers in micro-dollars. The ledger ensures `avail >= 0`; the CHECK constraint is a second line of defence against
 * defects.
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
  // Orders usage by time, so that the rows that change are close together, however long the history is.
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
  // Stores the lease of a webhook's handshake and the result of the last one as JSON.
  'ALTER TABLE webhook ADD COLUMN handshake TEXT',
  // Stores single values of the whole store, such as the check value of SECRET_KEY.
  `
  CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE poller ADD COLUMN unreachable TEXT',
  // Deletes errors that earlier releases copied into `last_error`. They are now read from `poller.stopped` and from the refused code of the
  // webhook.
  `
  UPDATE webhook SET last_error = NULL
    WHERE last_error LIKE 'Not polled any more: %' OR last_error LIKE 'Messages are not opened any more: %';
  `,
  // Stores encrypted records of the platform adapter, such as login sessions.
  `
  CREATE TABLE platform_state (
    key TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    sealed TEXT NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX platform_state_by_until ON platform_state (until);
  `,
  // Stores identifiers of the platform that are too long for a numeric id.
  `
  CREATE TABLE identifier (
    hash TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    identifier TEXT NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identifier_by_until ON identifier (until);
  `,
  // Stores the restrictions of an API key as JSON.
  'ALTER TABLE api_key ADD COLUMN restrictions TEXT',
  // Stores the errors and the durations of calls.
  `
  CREATE TABLE call_statistics (
    hour INTEGER NOT NULL,
    account TEXT NOT NULL,
    action TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    errors TEXT NOT NULL,
    durations TEXT NOT NULL,
    PRIMARY KEY (hour, account, action)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX call_statistics_by_account ON call_statistics (account, hour, action);
  `,
  // Stores what API keys with a daily budget have reserved and charged.
  `
  ALTER TABLE hold ADD COLUMN key TEXT;
  CREATE TABLE key_charges (
    key TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    day INTEGER NOT NULL,
    micros INTEGER NOT NULL CHECK (micros >= 0)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX key_charges_by_day ON key_charges (day);
  `,
  // Stores the attempts of each delivery as a JSON array of `LoggedAttempt`, which replaces the excerpt of the last response.
  `
  ALTER TABLE delivery DROP COLUMN excerpt;
  ALTER TABLE delivery ADD COLUMN log TEXT;
  ALTER TABLE webhook ADD COLUMN paused_at INTEGER;
  ALTER TABLE webhook ADD COLUMN undelivered_since INTEGER;
  ALTER TABLE webhook ADD COLUMN undelivered_error TEXT;
  `,
  // Stores events of low credit until their deliveries are queued.
  `
  ALTER TABLE account ADD COLUMN low_credit_threshold INTEGER CHECK (low_credit_threshold > 0);
  CREATE TABLE low_credit (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    at INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    threshold INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Stores the changes of accounts as JSON.
  `
  CREATE TABLE audit (
    account TEXT NOT NULL,
    at INTEGER NOT NULL,
    id TEXT NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    entry TEXT NOT NULL,
    PRIMARY KEY (account, at, id)
  ) STRICT, WITHOUT ROWID;
  `,
  'CREATE INDEX audit_by_at ON audit (at)',
  'ALTER TABLE account ADD COLUMN deleted_at INTEGER',
  // Finds URLs in plain text at the start, and the pollers of an account that is deleted, without reading all webhooks and all pollers.
  `
  CREATE INDEX webhook_by_plain_url ON webhook (url) WHERE url >= 'http' AND url < 'httq';
  CREATE INDEX poller_by_account ON poller (account);
  `,
  // Counts the size of kept responses by account and hour, and the repetitions of reads.
  `
  CREATE TABLE kept_responses (
    account TEXT NOT NULL,
    hour INTEGER NOT NULL,
    v INTEGER NOT NULL DEFAULT 1,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (account, hour)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_responses_by_hour ON kept_responses (hour);
  ALTER TABLE idempotency ADD COLUMN repetitions INTEGER NOT NULL DEFAULT 0;
  `,
  'ALTER TABLE poller ADD COLUMN gap_at INTEGER',
  // Stores the estimated price of calls at the platform.
  'ALTER TABLE usage ADD COLUMN platform_micros INTEGER NOT NULL DEFAULT 0',
  // Stores connections as JSON, beside what queries need. `last_used_at` is only in its column.
  `
  CREATE TABLE connection (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    sign_in_ends_at INTEGER,
    last_used_at INTEGER,
    revoke_at INTEGER,
    revision INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX connection_by_account ON connection (account, created_at, id) WHERE revoke_at IS NULL;
  CREATE INDEX connection_by_revoke_at ON connection (revoke_at) WHERE revoke_at IS NOT NULL;
  `,
  // Stores all events of accounts until their deliveries are queued. Older processes still write and read `low_credit`.
  `
  CREATE TABLE account_event (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    sealed TEXT,
    amounts TEXT
  ) STRICT, WITHOUT ROWID;
  `,
];

/**
 * The oldest schema version whose processes can use a store with all migrations, so that they may run side by side with this version. A
 * migration that changes or removes what they use sets it to its own number.
 */
export const compatibleSince = 18;
