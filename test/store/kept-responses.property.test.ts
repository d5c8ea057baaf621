import { join } from 'node:path';
import fc from 'fast-check';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { idempotencyTtlMs, type Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { manualRuntime } from './manual-runtime.ts';
import { makeCommit } from './webhook-makers.ts';

const hourMs = 3_600_000;
const limit = 20_000;

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ keep: fc.array(fc.integer({ min: 1, max: 12_000 }), { maxLength: 3 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ leap: fc.constantFrom(60_000, hourMs / 2, 5 * hourMs, 26 * hourMs, -hourMs) }),
    },
    { weight: 2, arbitrary: fc.constant('sweep' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
    { weight: 1, arbitrary: fc.constant('send again' as const) },
  ),
  { minLength: 5, maxLength: 40 },
);

test('the kept responses of an account never exceed its limit, and every key has its response or the short text', async () => {
  const check = fc.asyncProperty(steps, async (all) => {
    const path = join(temporaryFolder(), 'postern.sqlite');
    const runtime = manualRuntime();
    const open = () => openSqliteStore({ path, runtime, durable: false });
    const stores: [Store, Store] = [open(), open()];
    const raw = new Libsql(path);
    try {
      await stores[0].accounts.create({ id: 'a', name: 'A', createdAt: 1 });
      await stores[0].ledger.topUp({ id: 'p', account: 'a', micros: 1_000, description: '', createdAt: 1 });
      const sum = raw.prepare('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kept_responses WHERE hour >= ?');
      const countedAt = (now: number) =>
        (sum.get([Math.floor(now / hourMs) - idempotencyTtlMs / hourMs]) as { bytes: number }).bytes;
      let count = 0;
      let wasSetBack = false;
      let last: (() => Promise<unknown>) | null = null;
      for (const [index, step] of all.entries()) {
        const store = stores[index % 2] as Store;
        if (step === 'sweep') await store.ledger.sweep();
        else if (step === 'kill') {
          await store.close();
          stores[index % 2] = open();
        } else if (step === 'send again') await last?.();
        else if ('leap' in step) {
          runtime.leap(step.leap);
          wasSetBack ||= step.leap < 0;
        } else {
          const late = step.keep.map((bytes) => ({
            usage: [{ hour: 1, action: 'x', calls: 1, micros: 1 }],
            answer: { key: `k${count++}`, answer: 'x'.repeat(bytes), limit: { bytes: limit, brief: '' } },
          }));
          const commit = makeCommit(runtime, `c${count} ${index}`, { begins: true, late });
          last = () => stores[0].ledger.commit(commit);
          const before = countedAt(runtime.now());
          await last();
          expect(countedAt(runtime.now()) > before).toBe(step.keep.some((bytes) => before + bytes <= limit));
          const bytesOf = raw.prepare('SELECT LENGTH(answer) AS bytes FROM idempotency WHERE account = ? AND key = ?');
          for (const { answer } of late) {
            const { bytes } = bytesOf.get(['a', answer.key]) as { bytes: number };
            expect([0, answer.answer.length]).toContain(bytes);
          }
        }
        const live = 'SELECT COALESCE(SUM(LENGTH(answer)), 0) AS bytes FROM idempotency WHERE since > ?';
        const { bytes } = raw.prepare(live).get([runtime.now() - idempotencyTtlMs]) as { bytes: number };
        // Expired responses count again when the clock is set back.
        if (!wasSetBack) expect(bytes).toBeLessThanOrEqual(limit);
        expect(countedAt(runtime.now())).toBeGreaterThanOrEqual(bytes);
      }
      // A day later, nothing counts any more.
      runtime.leap(30 * hourMs);
      await stores[0].ledger.sweep();
      const rows = 'SELECT COUNT(*) AS rows FROM kept_responses';
      expect(raw.prepare(rows).get([])).toMatchObject({ rows: 0 });
    } finally {
      raw.close();
      for (const store of stores) await store.close();
    }
  });
  await fc.assert(check, { numRuns: repetitions(10, 100) });
});
