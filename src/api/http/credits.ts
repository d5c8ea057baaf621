import type { ServerResponse } from 'node:http';
import type { StoredResponse } from '../../billing/idempotency-claim.ts';
import type { Settled } from '../../billing/ledger.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { localsOf, noteError } from './request-locals.ts';

/**
 * Sets the headers with the cost of the request and the remaining credit (docs/money.md, Credit). For a replayed response, sets the replay
 * header instead.
 */
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

/** The longest list of ids that is sent as a header, because clients limit the size of headers. */
const longestIds = 2_048;

/** Sets the headers of a stored response that is returned again for its Idempotency-Key, and records its error for the log. */
export function showKept(response: ServerResponse, { reason, status, ids }: StoredResponse): void {
  showReplayed(response);
  const list = JSON.stringify(ids ?? []);
  if (ids && list.length <= longestIds && /^[\x20-\x7e]*$/.test(list)) response.setHeader('x-outcome-ids', list);
  if (reason) noteError(response, { reason, status });
}

function showReplayed(response: ServerResponse): void {
  response.setHeader('idempotent-replayed', 'true');
}
