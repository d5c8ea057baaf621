/**
 * The client of Postern: `import { Postern } from 'postern/client'`. It runs in Node, Deno, Bun, Cloudflare Workers and browsers, because
 * it uses web APIs only and the build bundles its dependencies.
 */
export type { Bytes } from './bytes.ts';
export { Call, List, type NoInput } from './call.ts';
export { Postern } from './client.ts';
export type * from './endpoints.ts';
export type { ErrorCode } from './error-table.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ConnectionErrorCode,
  IdempotencyError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  NotSupportedError,
  PermissionError,
  PlatformError,
  PosternError,
  RateLimitError,
  ServerError,
} from './errors.ts';
export { EventStream, type GapEvent, type StreamEvent } from './event-stream.ts';
export type { CallOptions, CallResult, ClientOptions } from './transport.ts';
export type * from './webhooks/events.ts';
