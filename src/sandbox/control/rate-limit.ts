import { optionalInteger, requiredInteger } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

const DEFAULT_WINDOW_S = 900;

export const setRateLimit: ControlOperation = {
  id: 'setRateLimit',
  method: 'POST',
  path: '/control/rate-limit',
  access: 'control',
  contract: {
    summary:
      'Limits each actor to `limit` requests per window. A window begins with the first request. Further requests are `rate_limited` 429 with Retry-After. Null removes the limit; the sandbox starts without one.',
    body: jsonBody(
      {
        type: 'object',
        required: ['limit'],
        properties: {
          limit: { type: ['integer', 'null'], minimum: 0, maximum: 1000000000 },
          window_seconds: { type: 'integer', minimum: 1, maximum: 86400, default: 900 },
        },
      },
      { limit: 100, window_seconds: 60 },
    ),
    responses: {
      200: jsonResponse(
        'The new limit.',
        closedObject({ limit: { type: ['integer', 'null'] }, window_seconds: { type: ['integer', 'null'] } }),
      ),
    },
  },
  handle({ platform, body }) {
    if (body['limit'] === null) {
      platform.rateLimit.set(null);
      return json({ limit: null, window_seconds: null });
    }
    const limit = requiredInteger(body, 'limit', 0, 1_000_000_000);
    const seconds = optionalInteger(body, 'window_seconds', 1, 86_400) ?? DEFAULT_WINDOW_S;
    platform.rateLimit.set({ limit, windowMs: seconds * 1000 });
    return json({ limit, window_seconds: seconds });
  },
};
