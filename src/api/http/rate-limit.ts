import type { ServerResponse } from 'node:http';
import { type RateState, rateRefusal } from '../../billing/rate-limiter.ts';
import { localsOf } from './request-locals.ts';

/** Keeps the state of the rate limit for `showRate`. Throws `rate_limited` if the call is not allowed. */
export function applyRate(state: RateState | null, response: ServerResponse): void {
  localsOf(response).rate = state;
  if (state && !state.allowed) throw rateRefusal(state);
}

/**
 * Sets the headers with the remaining calls (draft-ietf-httpapi-ratelimit-headers-07). Each function that sends a response to a checked key
 * must call it before the first byte.
 */
export function showRate(response: ServerResponse): void {
  const state = localsOf(response).rate;
  if (state === null) return;
  response.setHeader('ratelimit-policy', `${state.limit};w=${state.windowSeconds}`);
  response.setHeader('ratelimit-limit', String(state.limit));
  response.setHeader('ratelimit-remaining', String(state.remaining));
  response.setHeader('ratelimit-reset', String(state.resetSeconds));
}
