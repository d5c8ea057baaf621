import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { Idempotency } from '../../billing/idempotency.ts';
import type { StoredResponse } from '../../billing/idempotency-claim.ts';
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
  /** Performs the calls. If it throws, only writes that have succeeded are charged. */
  perform: (session: BillingSession) => Promise<Outcome>;
  /** Returns the error for an outcome without a successful call. The request is then refused with this error. */
  failureOf?: (outcome: Outcome) => PosternError | null;
  /** Returns the response body, which is stored under the Idempotency-Key unless the request is a read. */
  bodyOf: (outcome: Outcome) => string | Buffer;
  /** Called with the outcome of a read while the store charges the read. If this function throws, the read is charged and fails. */
  whileCharging?: (outcome: Outcome) => unknown;
  errorBodyOf: (error: PosternError) => string;
  /** Releases resources that `perform` opened. Called if a step after it throws. */
  discard?: (outcome: Outcome) => void;
}

export interface PerformedRequest<Outcome> {
  kind: 'performed';
  outcome: Outcome;
  /** The result of the charge. `null` if nothing was charged. */
  settled: Settled | null;
  /** True if another attempt with the same Idempotency-Key was charged, so that this attempt is free. */
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
 * Performs a paid request: claims the Idempotency-Key, reserves the quote, performs the calls, and settles or refuses. A
 * read usually runs without a reservation and is charged after it. Whatever throws after the reservation, `fail` ends
 * the reservation and the claim. Throws `insufficient_credits`, the errors of `Idempotency.begin`, and the error of
 * `perform`.
 */
export async function payFor<Outcome>(
  { ledger, recorder, idempotency, runtime }: PaymentParts,
  request: PaidRequest<Outcome>,
): Promise<PaidResult<Outcome>> {
  const { account, budget, quote, isRead = false, errorBodyOf } = request;
  const begun = request.idempotency && (await idempotency.begin({ account, isRead, ...request.idempotency }));
  if (begun?.kind === 'kept') return begun;
  const isPaid = begun?.kind === 'read_again';
  const session = await BillingSession.authorize({
    ...{ ledger, recorder, runtime, account, budget, isRead, errorBodyOf },
    quote: isPaid ? 0 : quote,
    claim: begun?.kind === 'claimed' ? begun.claim : null,
  });
  let performed: { outcome: Outcome } | null = null;
  try {
    const outcome = await request.perform(session);
    performed = { outcome };
    const bodyOf = () => request.bodyOf(outcome);
    const failure = session.charges.length === 0 ? (request.failureOf?.(outcome) ?? null) : null;
    if (failure) {
      await session.refuse(failure, () => bodyOf().toString());
      return { kind: 'performed', outcome, settled: null, wasPaidBefore: false };
    }
    const settled = await besideWork(session.settle(bodyOf), () => request.whileCharging?.(outcome));
    const wasPaidBefore = isPaid || (begun !== null && settled === null && session.isCharged);
    return { kind: 'performed', outcome, settled, wasPaidBefore };
  } catch (thrown) {
    const fail = () => session.fail(asPosternError(thrown));
    // If a step of `fail` throws too, the second call ends what the first one has left. The caller gets the first error.
    await fail()
      .catch(fail)
      .catch(() => {});
    if (performed) request.discard?.(performed.outcome);
    throw thrown;
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
