import type { ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import { type RateLimiter, type RateState, rateRefusal } from '../../billing/rate-limiter.ts';

/** Counts the call and sets the headers with the remaining calls (draft-ietf-httpapi-ratelimit-headers-07). Throws `rate_limited`. */
export function countCall(
  limiter: RateLimiter,
  { id, rateLimit }: AuthenticatedKey,
  response: ServerResponse,
): RateState | null {
  const state = limiter.take(id, rateLimit);
  if (state === null) return null;
  response.setHeader('ratelimit-policy', `${state.limit};w=${state.windowSeconds}`);
  response.setHeader('ratelimit-limit', String(state.limit));
  response.setHeader('ratelimit-remaining', String(state.remaining));
  response.setHeader('ratelimit-reset', String(state.resetSeconds));
  if (!state.allowed) throw rateRefusal(state);
  return state;
}
