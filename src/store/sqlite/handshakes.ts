import type { Runtime } from '../../shared/runtime/runtime.ts';
import { hasExpired } from '../expiry.ts';
import { type HandshakeLease, type HandshakeState, handshakeLeaseMs, type WebhookStore } from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';

/** The JSON in the column `handshake`, which is NULL before the first handshake. */
type Kept = HandshakeState & { until: number };

const none: Kept = { number: 0, holder: null, last: null, until: 0 };

/** Implements the handshake lease. */
export function sqliteHandshakes(
  database: Database,
  group: WriteGroup,
  runtime: Runtime,
): Pick<WebhookStore, 'beginHandshake' | 'endHandshake'> {
  function read({ account, webhook }: HandshakeLease): Kept | null {
    const sql = 'SELECT handshake FROM webhook WHERE id = ? AND account = ?';
    const row = database.get<{ handshake: string | null }>(sql, [webhook, account]);
    if (!row) return null;
    return row.handshake === null ? none : (JSON.parse(row.handshake) as Kept);
  }

  function write({ account, webhook }: HandshakeLease, kept: Kept): void {
    const sql = 'UPDATE webhook SET handshake = ? WHERE id = ? AND account = ?';
    database.run(sql, [JSON.stringify(kept), webhook, account]);
  }

  function isFree({ holder, until, last }: Kept, lease: HandshakeLease, joined: number | null): boolean {
    if (joined !== null && last && last.number >= joined && last.target === lease.target) return false;
    return holder === null || holder === lease.holder || hasExpired(until, runtime.now(), handshakeLeaseMs);
  }

  const stateOf = (kept: Kept | null) => kept && { number: kept.number, holder: kept.holder, last: kept.last };

  return {
    async beginHandshake(lease, joined) {
      const seen = read(lease);
      // A caller that has to wait needs no transaction.
      if (seen === null || !isFree(seen, lease, joined)) return stateOf(seen);
      return group.add(() => {
        const kept = read(lease);
        if (kept === null || !isFree(kept, lease, joined)) return stateOf(kept);
        const until = runtime.now() + handshakeLeaseMs;
        const taken = { ...kept, number: kept.number + 1, holder: lease.holder, until };
        write(lease, taken);
        return stateOf(taken);
      });
    },

    endHandshake: (lease, number, outcome) =>
      group.add(() => {
        const kept = read(lease);
        if (kept?.number !== number || kept.holder !== lease.holder) return;
        const last = outcome === null ? kept.last : { number, target: lease.target, outcome };
        write(lease, { ...kept, holder: null, last });
      }),
  };
}
