import type { ServerResponse } from 'node:http';
import { type RateState, rateRefusal } from '../../billing/rate-limiter.ts';

/** Sets the headers with the remaining calls (draft-ietf-httpapi-ratelimit-headers-07). Throws `rate_limited` if the call is not allowed. */
export function applyRate(state: RateState | null, response: ServerResponse): void {
  if (state === null) return;
  response.setHeader('ratelimit-policy', `${state.limit};w=${state.windowSeconds}`);
  response.setHeader('ratelimit-limit', String(state.limit));
  response.setHeader('ratelimit-remaining', String(state.remaining));
  response.setHeader('ratelimit-reset', String(state.resetSeconds));
  if (!state.allowed) throw rateRefusal(state);
}
