import type { AttemptRecord, DeliveryRecord, DeliveryState } from '../port.ts';

export interface DeliveryRow {
  event: string;
  type: string;
  webhook: string;
  event_at: number;
  state: DeliveryState;
  attempts: number;
  next_at: number | null;
  replayed: number;
  last_at: number | null;
  duration_ms: number | null;
  response_code: number | null;
  error: string | null;
}

export const deliveryColumns =
  'd.event AS event, d.type AS type, d.webhook AS webhook, d.event_at AS event_at, d.state AS state, ' +
  'd.attempts AS attempts, d.next_at AS next_at, d.replayed AS replayed, d.last_at AS last_at, ' +
  'd.duration_ms AS duration_ms, d.response_code AS response_code, d.error AS error';

export function toDelivery(row: DeliveryRow): DeliveryRecord {
  return {
    event: row.event,
    type: row.type,
    webhook: row.webhook,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.next_at,
    replayed: row.replayed === 1,
    last: toAttempt(row),
  };
}

function toAttempt(row: DeliveryRow): AttemptRecord | null {
  if (row.last_at === null) return null;
  return {
    at: row.last_at,
    durationMs: row.duration_ms ?? 0,
    responseCode: row.response_code,
    error: row.error,
  };
}
