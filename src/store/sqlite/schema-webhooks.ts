/**
 * The tables of webhooks and deliveries. They are a migration of `schema.ts`, so they must not be edited after their release.
 * `poller.kept_until` is the time until which a poller is needed. Events and deliveries have a rowid, because their ids are in random
 * order: large rows are appended, and only small index entries are inserted at random positions.
 */
export const webhookTables = `
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    poller TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    url TEXT NOT NULL,
    sealed TEXT NOT NULL,
    has_encryption_code INTEGER NOT NULL,
    events TEXT,
    valid INTEGER NOT NULL,
    kept_since INTEGER,
    last_validated_at INTEGER,
    failing_since INTEGER,
    last_delivery_at INTEGER,
    last_error TEXT,
    revision INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_by_account ON webhook (account, created_at, id);
  CREATE INDEX webhook_by_poller ON webhook (poller, created_at, id);

  CREATE TABLE poller (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    account TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    cursor TEXT,
    stopped TEXT,
    webhooks INTEGER NOT NULL DEFAULT 0,
    streamed_until INTEGER,
    kept_until INTEGER NOT NULL
      AS (CASE WHEN webhooks > 0 THEN 9007199254740991 ELSE COALESCE(streamed_until, 0) END) STORED,
    runner TEXT,
    fence INTEGER NOT NULL,
    woken INTEGER NOT NULL DEFAULT 0,
    last_place INTEGER NOT NULL DEFAULT 0,
    appended_at INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX poller_by_runner ON poller (runner, kept_until);
  CREATE INDEX poller_by_kept_until ON poller (kept_until);
  CREATE INDEX poller_woken ON poller (runner) WHERE woken = 1;

  CREATE TABLE runner (
    id TEXT PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event (
    number INTEGER PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    id TEXT NOT NULL,
    account TEXT NOT NULL,
    poller TEXT NOT NULL,
    place INTEGER NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    sealed TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX event_by_id ON event (poller, id);
  CREATE UNIQUE INDEX event_by_place ON event (poller, place);
  CREATE INDEX event_by_at ON event (at);

  CREATE TABLE delivery (
    number INTEGER PRIMARY KEY,
    v INTEGER NOT NULL DEFAULT 1,
    event TEXT NOT NULL,
    webhook TEXT NOT NULL,
    account TEXT NOT NULL,
    poller TEXT NOT NULL,
    place INTEGER NOT NULL,
    type TEXT NOT NULL,
    event_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    replayed INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER,
    duration_ms INTEGER,
    response_code INTEGER,
    error TEXT,
    excerpt TEXT
  ) STRICT;
  CREATE UNIQUE INDEX delivery_by_event ON delivery (event, webhook);
  CREATE INDEX delivery_by_webhook ON delivery (webhook, event_at, event);
  CREATE INDEX delivery_waiting ON delivery (webhook, replayed, next_at, place) WHERE state = 'waiting';
`;
