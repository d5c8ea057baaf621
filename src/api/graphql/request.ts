import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { KeyHolder } from '../../billing/key-ring.ts';
import type { Charge, Settled } from '../../billing/ledger.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import type { Micros } from '../../shared/model/money.ts';

/** One HTTP request for GraphQL, from its headers to its bill. */
export interface GraphqlRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Whose call it is; `null` where no key came with it. */
  readonly key: KeyHolder | null;
  readonly rate: RateState | null;
  /** What the document may cost at most, once that is known. */
  quoted: Micros;
  /** What ran and succeeded. */
  charges: readonly Charge[];
  /** `null` where nothing was charged. */
  settled: Settled | null;
}

/** What a subscription tells, until it is ended. */
export interface LiveResults {
  readonly results: AsyncIterable<ExecutionResult>;
  end(): void;
}
