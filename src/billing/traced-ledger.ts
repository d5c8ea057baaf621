import type { Micros } from '../shared/model/money.ts';
import type { Tracing } from '../shared/observability/tracing.ts';
import type { ChargedResponse } from '../store/port.ts';
import { type Charge, type KeyBudget, Ledger, type LedgerOptions, type Reservation, type Settled } from './ledger.ts';

/** A ledger that records reservations and charges as spans of their request. */
export class TracedLedger extends Ledger {
  readonly #tracing: Tracing;

  constructor(tracing: Tracing, options: LedgerOptions) {
    super({ ...options, captureTrace: () => tracing.capture() });
    this.#tracing = tracing;
  }

  override reserve(account: string, micros: Micros, budget: KeyBudget | null = null): Promise<Reservation> {
    return this.#tracing.stage(billingStage('reserve', micros), () => super.reserve(account, micros, budget));
  }

  override settle(
    reservation: Reservation,
    charges: readonly Charge[],
    answer?: ChargedResponse,
  ): Promise<Settled | null> {
    const micros = charges.reduce((total, charge) => total + charge.micros, 0);
    return this.#tracing.stage(billingStage('settle', micros), () => super.settle(reservation, charges, answer));
  }
}

function billingStage(step: 'reserve' | 'settle', micros: Micros) {
  return { name: `billing ${step}`, kind: 'internal', attributes: { 'postern.micros': micros } } as const;
}
