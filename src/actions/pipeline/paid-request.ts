import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { Idempotency } from '../../billing/idempotency.ts';
import type { StoredResponse } from '../../billing/idempotency-claim.ts';
import type { KeyBudget, Ledger, Settled } from '../../billing/ledger.ts';
import { asPosternError, type PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PreparedCall } from './action-pipeline.ts';
import { BillingSession } from './billing-session.ts';

interface Payment<Outcome> {
  /** The id of the API account that is charged. */
  account: string;
  /** The budget of the API key. `null` if the key has none. */
  budget: KeyBudget | null;
  /** The Idempotency-Key, and the content that a repeated request must match. `null` if the request has no key. */
  idempotency: { key: string; content: string } | null;
  /** Returns the response body, which is stored under the Idempotency-Key unless the request is a read. */
  bodyOf: (outcome: Outcome) => string | Buffer;
  /** Called with the outcome of a read while the store charges the read. If this function throws, the read is charged and fails. */
  whileCharging?: (outcome: Outcome) => unknown;
  errorBodyOf: (error: PosternError) => string;
  /** Releases resources that the calls opened. Called if a later step throws. */
  discard?: (outcome: Outcome) => void;
}

/** A request for one call. A call without side effects may run before it is charged. */
export interface PaidCall<Outcome> extends Payment<Outcome> {
  call: PreparedCall;
  /** Returns the outcome for the output of the call. Runs before the charge. */
  outcomeOf: (output: unknown) => Outcome;
}

/** A request whose calls are charged together. */
interface PaidCalls<Outcome> extends Payment<Outcome> {
  /** The maximum cost of the request, in micro-dollars. */
  quote: Micros;
  /** Runs the calls. If it throws, only writes that have succeeded are charged. */
  run: (session: BillingSession) => Promise<Outcome>;
  /** Returns the error for an outcome without a successful call. The request is then refused with this error. */
  failureOf?: (outcome: Outcome) => PosternError | null;
}

export type PaidRequest<Outcome> = PaidCall<Outcome> | PaidCalls<Outcome>;

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
 * the calls.
 */
export async function payFor<Outcome>(
  { ledger, recorder, idempotency, runtime }: PaymentParts,
  request: PaidRequest<Outcome>,
): Promise<PaidResult<Outcome>> {
  const { account, budget, errorBodyOf } = request;
  const { quote, isRead, maySendAgain, run, failureOf } = termsOf(request);
  const begun = request.idempotency && (await idempotency.begin({ account, maySendAgain, ...request.idempotency }));
  if (begun?.kind === 'kept') return begun;
  const isPaid = begun?.kind === 'read_again';
  const session = await BillingSession.authorize({
    ...{ ledger, recorder, runtime, account, budget, isRead, errorBodyOf },
    quote: isPaid ? 0 : quote,
    claim: begun?.kind === 'claimed' ? begun.claim : null,
  });
  let performed: { outcome: Outcome } | null = null;
  try {
    const outcome = await run(session);
    performed = { outcome };
    const bodyOf = () => request.bodyOf(outcome);
    const failure = session.charges.length === 0 ? (failureOf?.(outcome) ?? null) : null;
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

function termsOf<Outcome>(request: PaidRequest<Outcome>) {
  if (!('call' in request))
    return { isRead: false, maySendAgain: false, quote: request.quote, run: request.run, failureOf: request.failureOf };
  const { call, outcomeOf } = request;
  return {
    isRead: call.action.effect === 'read',
    maySendAgain: call.action.effect !== 'once',
    quote: call.action.price,
    run: async (session: BillingSession) => outcomeOf(await session.run(call)),
    failureOf: undefined,
  };
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
