import { errorGuide } from '../shared/errors/guide.ts';
import type { ErrorCode } from '../shared/errors/table.ts';

/** The codes of errors that happen before or after a gateway responds. */
export type ConnectionErrorCode = 'connection_failed' | 'timed_out' | 'unexpected_response';

export interface ToolErrorDetails {
  retryAfterSeconds?: number | null;
  requestId?: string | null;
  /** The key with which the same call can be repeated. Set only for a call that ended with an unknown outcome. */
  idempotencyKey?: string | null;
  /** Advice that is better than the advice of the code. */
  remedy?: string;
}

/** The failure of a tool call, which becomes the result of the call. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ErrorCode | ConnectionErrorCode;
  readonly details: ToolErrorDetails;

  constructor(code: ErrorCode | ConnectionErrorCode, message: string, details: ToolErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get remedy(): string {
    return this.details.remedy ?? remedies[this.code] ?? errorGuide[this.code as ErrorCode].remedy;
  }
}

/** Advice for agents, if it differs from the advice for callers of REST. */
const remedies: Partial<Record<ErrorCode | ConnectionErrorCode, string>> = {
  connection_failed: 'Check that the gateway of POSTERN_URL runs. A read can be repeated.',
  timed_out: 'Check that the gateway of POSTERN_URL responds. A read can be repeated.',
  unexpected_response: 'Check POSTERN_URL: it is the address of a gateway of Postern with /v1.',
  unauthenticated: 'Ask the user to configure a valid API key. Calls cannot succeed before that.',
  insufficient_credits:
    'Stop calling tools that cost money, and tell the user that the credit or the limit is used up.',
  idempotency_mismatch: 'Leave idempotency_key out for a new call.',
  rate_limited: 'Read the message, which names the limit. Wait before the next call; make fewer calls.',
  internal: 'Tell the user the request id. Before you repeat a write, check whether it was performed.',
};

const unknownOutcomes: readonly (ErrorCode | ConnectionErrorCode)[] = [
  ...(['connection_failed', 'timed_out', 'unexpected_response', 'request_timeout'] as const),
  ...(['internal', 'platform_unavailable', 'unavailable', 'platform_timeout'] as const),
];

/** Returns true if a call that failed with this code may have been performed. */
export function hasUnknownOutcome(code: ErrorCode | ConnectionErrorCode): boolean {
  return unknownOutcomes.includes(code);
}

const unknownCharges: readonly (ErrorCode | ConnectionErrorCode)[] = [
  ...(['connection_failed', 'timed_out', 'unexpected_response', 'request_timeout', 'unavailable'] as const),
];

/** Returns true if a call that failed with this code may have been charged, because its response or the record of its charge is missing. */
export function mayBeCharged(code: ErrorCode | ConnectionErrorCode): boolean {
  return unknownCharges.includes(code);
}

/** The error of a call that needs a credential which the client was not configured with. */
export function missingCredential(name: string, where: string): ToolError {
  return new ToolError('bad_input', `This tool needs ${name}`, {
    remedy: `Ask the user to configure ${where}. Never ask for the value itself, and never pass it as an argument.`,
  });
}
