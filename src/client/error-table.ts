// Printed by `npm run print` from src/shared/errors/.

/** The codes of error responses, with their status. `mayPass` means that the same request may succeed later. */
export const errorTable = {
  bad_input: { status: 400, mayPass: false },
  too_costly: { status: 400, mayPass: false },
  unauthenticated: { status: 401, mayPass: false },
  insufficient_credits: { status: 402, mayPass: false },
  forbidden: { status: 403, mayPass: false },
  not_found: { status: 404, mayPass: false },
  method_not_allowed: { status: 405, mayPass: false },
  request_timeout: { status: 408, mayPass: true },
  conflict: { status: 409, mayPass: false },
  too_large: { status: 413, mayPass: false },
  unsupported_media_type: { status: 415, mayPass: false },
  idempotency_mismatch: { status: 422, mayPass: false },
  locked: { status: 423, mayPass: false },
  rate_limited: { status: 429, mayPass: true },
  headers_too_large: { status: 431, mayPass: false },
  internal: { status: 500, mayPass: true },
  not_supported: { status: 501, mayPass: false },
  platform_unavailable: { status: 502, mayPass: true },
  unavailable: { status: 503, mayPass: true },
  platform_timeout: { status: 504, mayPass: true },
} as const;

/** The code of an error response (docs/errors.md). */
export type ErrorCode = keyof typeof errorTable;
