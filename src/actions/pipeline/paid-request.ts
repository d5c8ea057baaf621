import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { Idempotency } from '../../billing/idempotency.ts';
import type { IdempotencyClaim, StoredResponse } from '../../billing/idempotency-claim.ts';
import type { KeyBudget, Ledger, Settled } from '../../billing/ledger.ts';
import { asPosternError, type PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { BillingSession } from './billing-session.ts';

/** A request whose calls are charged together. */
export interface PaidRequest<Outcome> {
  /** The id of the API account that is charged. */
  account: string;
  /** The budget of the API key. `null` if the key has none. */
  budget: KeyBudget | null;
  /** The maximum cost of the request, in micro-dollars. */
  quote: Micros;
  /** True if the request is a single call without side effects. Such a call may run before it is charged. */
  isRead?: boolean;
  /** The Idempotency-Key, and the content that a repeated request must match. `null` if the request has no key. */
  idempotency: { key: string; content: string } | null;
  /** Performs the calls. If it throws, nothing is charged. */
  perform: (session: BillingSession) => Promise<Outcome>;
  /** Returns the error for an outcome without a successful call. The request is then refused with this error. */
  failureOf?: (outcome: Outcome) => PosternError | null;
  /** Returns the response body, which is stored under the Idempotency-Key. */
  bodyOf: (outcome: Outcome) => string;
  /** Called with the outcome of a read while the store charges the read. If this function throws, the read is charged and fails. */
  whileCharging?: (outcome: Outcome) => unknown;
  errorBodyOf: (error: PosternError) => string;
  /** Releases resources that `perform` opened. Called if the charge could not be settled. */
  discard?: (outcome: Outcome) => void;
}

export interface PerformedRequest<Outcome> {
  kind: 'performed';
  outcome: Outcome;
  /** The result of the charge. `null` if nothing was charged. */
  settled: Settled | null;
  /** True if a concurrent attempt with the same Idempotency-Key was charged, so that this attempt is free. */
  wasPaidBefore: boolean;
}

/** The result of a paid request. `kept` means that an earlier attempt was performed, and `answer` is its response. */
export type PaidResult<Outcome> = PerformedRequest<Outcome> | { kind: 'kept'; answer: StoredResponse };

export interface PaymentParts {
  ledger: Ledger;
  recorder: CallRecorder;
  idempotency: Idempotency;
  runtime: Runtime;
}

/**
 * Performs a paid request: claims the Idempotency-Key, reserves the quote, performs the calls, and settles or refuses. A read usually
 * runs without a reservation and is charged after it. Throws `insufficient_credits`, the errors of `Idempotency.begin`, and the error of
 * `perform`.
 */
export async function payFor<Outcome>(
  { ledger, recorder, idempotency, runtime }: PaymentParts,
  request: PaidRequest<Outcome>,
): Promise<PaidResult<Outcome>> {
  const { account, budget, quote, isRead = false } = request;
  let claim: IdempotencyClaim | null = null;
  if (request.idempotency) {
    const begun = await idempotency.begin({ account, ...request.idempotency });
    if ('body' in begun) return { kind: 'kept', answer: begun };
    claim = begun;
  }
  const session = await BillingSession.authorize({ ledger, recorder, runtime, account, budget, quote, isRead, claim });
  let outcome: Outcome;
  let body: string;
  try {
    outcome = await request.perform(session);
    body = claim ? request.bodyOf(outcome) : '';
  } catch (thrown) {
    const error = asPosternError(thrown);
    await session.refuse(error, request.errorBodyOf(error));
    throw error;
  }
  const failure = session.charges.length === 0 ? (request.failureOf?.(outcome) ?? null) : null;
  try {
    if (failure) {
      await session.refuse(failure, body);
      return { kind: 'performed', outcome, settled: null, wasPaidBefore: false };
    }
    const settled = await besideWork(session.settle(200, body), () => request.whileCharging?.(outcome));
    const wasPaidBefore = claim !== null && settled === null && session.isCharged;
    return { kind: 'performed', outcome, settled, wasPaidBefore };
  } catch (error) {
    request.discard?.(outcome);
    throw error;
  }
}

/** Runs `work` while the charge is pending, and returns the result of the charge. */
async function besideWork<Result>(charge: Promise<Result>, work: () => void): Promise<Result> {
  // A microtask that is already queued sends the charge to the thread of the store. This await lets it run before the work begins.
  await undefined;
  try {
    work();
  } catch (error) {
    await charge;
    throw error;
  }
  return charge;
}
