import { optionalInteger, requiredInteger } from '../fields.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

const DEFAULT_WINDOW_S = 900;

export const setRateLimit: ControlOperation = {
  id: 'setRateLimit',
  method: 'POST',
  path: '/control/rate-limit',
  access: 'control',
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
