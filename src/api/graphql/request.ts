import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Settled } from '../../billing/ledger.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import type { GraphqlLocals } from '../http/request-locals.ts';

/** The state of one GraphQL request over HTTP. */
export interface GraphqlRequest extends GraphqlLocals {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The caller's API key; `null` if the request has none. */
  key: AuthenticatedKey | null;
  rate: RateState | null;
  /** The settled payment; `null` if nothing was charged. */
  settled: Settled | null;
  /** True if all errors of the result are errors of graphql-js about the document or its variables. */
  isInvalid: boolean;
}

/** The results of a subscription. They end when `end` is called. */
export interface LiveResults {
  readonly results: AsyncIterable<ExecutionResult>;
  end(): void;
}
