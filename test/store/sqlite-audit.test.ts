import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { auditTtlMs, maxAuditEntries } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { manualRuntime } from './manual-runtime.ts';
import { apiKey, auditEntry } from './webhook-makers.ts';

test('the audit log of an account keeps its last 10,000 entries, and a sweep deletes those older than 400 days', async () => {
  const path = join(temporaryFolder(), 'postern.db');
  const runtime = manualRuntime();
  const store = openSqliteStore({ path, runtime, durable: false });
  const start = runtime.now();
  const raw = new Libsql(path);
  try {
    raw.exec(`INSERT INTO audit (account, at, id, entry)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxAuditEntries + 5})
      SELECT 'a', ${start} + i, 'e' || i, '{}' FROM n UNION ALL SELECT 'b', ${start} + 1, 'of b', '{}'`);
    const entry = auditEntry('newest', { at: start + maxAuditEntries + 6 });
    await store.keys.create(apiKey('k'), entry);
    const count = raw.prepare('SELECT account, COUNT(*) AS entries, MIN(at) AS oldest FROM audit GROUP BY account');
    expect(count.all()).toEqual([
      { account: 'a', entries: maxAuditEntries, oldest: start + 7 },
      { account: 'b', entries: 1, oldest: start + 1 },
    ]);
    expect((await store.audit.list('a', 1))[0]).toEqual(entry);
    runtime.leap(auditTtlMs + maxAuditEntries);
    await store.ledger.sweep();
    expect(count.all()).toEqual([{ account: 'a', entries: 6, oldest: start + maxAuditEntries + 1 }]);
  } finally {
    raw.close();
    await store.close();
  }
});
