import type { ServerResponse } from 'node:http';
import type { KeptAnswer } from '../../billing/idempotency-claim.ts';
import type { Settled } from '../../billing/ledger.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { localsOf, noteError } from './request-locals.ts';

/** Sets the headers with the cost of the request and the remaining credit (docs/money.md, Credit), or that it was paid before. */
export function showPayment(
  response: ServerResponse,
  { settled, wasPaidBefore }: { settled: Settled | null; wasPaidBefore: boolean },
): void {
  if (wasPaidBefore) showReplayed(response);
  if (!settled) return;
  response.setHeader('x-credits-charged', formatDollars(settled.charged));
  response.setHeader('x-credits-remaining', formatDollars(settled.remaining));
  localsOf(response).charged = settled.charged;
}

/** The response was kept under the request's Idempotency-Key. */
export function showKept(response: ServerResponse, { reason, status }: KeptAnswer): void {
  showReplayed(response);
  if (reason) noteError(response, { reason, status });
}

function showReplayed(response: ServerResponse): void {
  response.setHeader('idempotent-replayed', 'true');
}
