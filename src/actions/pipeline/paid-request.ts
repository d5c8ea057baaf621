import type { Idempotency } from '../../billing/idempotency.ts';
import type { IdempotencyClaim, KeptAnswer } from '../../billing/idempotency-claim.ts';
import type { Ledger, Settled } from '../../billing/ledger.ts';
import { asPosternError, type PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { BillingSession } from './billing-session.ts';

/** A request whose calls are paid together, as an API describes it. */
export interface PaidRequest<Outcome> {
  /** The id of the API account that pays. */
  account: string;
  /** The most that the request may cost, in micro-dollars. */
  quote: Micros;
  /** The Idempotency-Key, and everything that makes this request the same as another one; `null` without a key. */
  idempotency: { key: string; content: string } | null;
  /** Performs the calls. If this throws, nothing is charged. */
  perform: (session: BillingSession) => Promise<Outcome>;
  /** The error to refuse the request with if `perform` returned and no call succeeded. */
  failureOf?: (outcome: Outcome) => PosternError | null;
  /** The body of the response. It is kept under the Idempotency-Key. */
  bodyOf: (outcome: Outcome) => string;
  errorBodyOf: (error: PosternError) => string;
  /** Releases what `perform` opened if the charge could not be settled. */
  discard?: (outcome: Outcome) => void;
}

export interface PerformedRequest<Outcome> {
  kind: 'performed';
  outcome: Outcome;
  /** `null` if nothing was charged. */
  settled: Settled | null;
  /** Another attempt with the same Idempotency-Key was charged meanwhile, so this one was free. */
  wasPaidBefore: boolean;
}

/** `kept`: the request was performed before, and this is its response. */
export type PaidResult<Outcome> = PerformedRequest<Outcome> | { kind: 'kept'; answer: KeptAnswer };

export interface PaymentParts {
  ledger: Ledger;
  idempotency: Idempotency;
  runtime: Runtime;
}

/**
 * The one payment sequence: claim the Idempotency-Key, reserve the quote, perform, then settle or refuse. Throws
 * `insufficient_credits`, the errors of `Idempotency.begin` and the error of `perform`.
 */
export async function payFor<Outcome>(
  { ledger, idempotency, runtime }: PaymentParts,
  request: PaidRequest<Outcome>,
): Promise<PaidResult<Outcome>> {
  const { account, quote } = request;
  let claim: IdempotencyClaim | null = null;
  if (request.idempotency) {
    const begun = await idempotency.begin({ account, ...request.idempotency });
    if ('body' in begun) return { kind: 'kept', answer: begun };
    claim = begun;
  }
  const session = await BillingSession.authorize({ ledger, runtime, account, quote, claim });
  let outcome: Outcome;
  try {
    outcome = await request.perform(session);
  } catch (thrown) {
    const error = asPosternError(thrown);
    await session.refuse(error, request.errorBodyOf(error));
    throw error;
  }
  const body = claim ? request.bodyOf(outcome) : '';
  const failure = session.charges.length === 0 ? (request.failureOf?.(outcome) ?? null) : null;
  try {
    if (failure) {
      await session.refuse(failure, body);
      return { kind: 'performed', outcome, settled: null, wasPaidBefore: false };
    }
    const settled = await session.settle(200, body);
    const wasPaidBefore = claim !== null && quote > 0 && settled === null && session.charges.length > 0;
    return { kind: 'performed', outcome, settled, wasPaidBefore };
  } catch (error) {
    request.discard?.(outcome);
    throw error;
  }
}
