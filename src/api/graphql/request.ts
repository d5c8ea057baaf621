import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Settled } from '../../billing/ledger.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { GraphqlLocals } from '../http/request-locals.ts';

/** The state of one HTTP request for GraphQL. */
export interface GraphqlRequest extends GraphqlLocals {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The caller's API key; `null` if the request has none. */
  key: AuthenticatedKey | null;
  rate: RateState | null;
  /** `null` if nothing was charged. */
  settled: Settled | null;
  /** Errors that were already noted and logged. A result is formatted twice. */
  readonly noted: Set<PosternError>;
}

/** The results of a subscription, until `end` is called. */
export interface LiveResults {
  readonly results: AsyncIterable<ExecutionResult>;
  end(): void;
}
