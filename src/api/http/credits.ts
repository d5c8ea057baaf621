import type { ServerResponse } from 'node:http';
import type { Settled } from '../../billing/ledger.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { localsOf } from './request-locals.ts';

/** What the request cost, and what is left after it (SPEC.md, Limits). */
export function showCredits(response: ServerResponse, { charged, remaining }: Settled): void {
  response.setHeader('x-credits-charged', formatDollars(charged));
  response.setHeader('x-credits-remaining', formatDollars(remaining));
  localsOf(response).charged = charged;
}
