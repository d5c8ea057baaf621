import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Settled } from '../../billing/ledger.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { GraphqlLocals } from '../http/request-locals.ts';

/** One HTTP request for GraphQL, from its headers to its bill. */
export interface GraphqlRequest extends GraphqlLocals {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Whose call it is; `null` where no key came with it. */
  key: AuthenticatedKey | null;
  rate: RateState | null;
  /** `null` where nothing was charged. */
  settled: Settled | null;
  /** Errors that were noted and logged: a result is formatted twice. */
  readonly noted: Set<PosternError>;
}

/** What a subscription tells, until it is ended. */
export interface LiveResults {
  readonly results: AsyncIterable<ExecutionResult>;
  end(): void;
}
