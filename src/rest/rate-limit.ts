import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { KeyHolder } from '../billing/key-ring.ts';
import { type RateLimiter, rateRefusal } from '../billing/rate-limiter.ts';

/** Counts the call and tells its caller what is left (draft-ietf-httpapi-ratelimit-headers-07). Throws `rate_limited`. */
export function limitRate(limiter: RateLimiter): RequestHandler {
  return (_request: Request, response: Response, next: NextFunction) => {
    const { id, rateLimit } = response.locals['key'] as KeyHolder;
    const state = limiter.take(id, rateLimit);
    if (state === null) return next();
    response.setHeader('ratelimit-policy', `${state.limit};w=${state.windowSeconds}`);
    response.setHeader('ratelimit-limit', String(state.limit));
    response.setHeader('ratelimit-remaining', String(state.remaining));
    response.setHeader('ratelimit-reset', String(state.resetSeconds));
    if (!state.allowed) throw rateRefusal(state);
    next();
  };
}
