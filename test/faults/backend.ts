import type { Store } from '../../src/store/port.ts';
import type { Fault } from './schedule.ts';

/** A store under test: how gateways reach it, and what can happen to it. */
export interface Backend {
  readonly kind: 'sqlite' | 'mongodb';
  /** Straight to what is stored, past all faults. */
  readonly store: Store;
  /** Settings of the gateway with this number. */
  gatewayEnv(gateway: number): Record<string, string>;
  /** Does it, and resolves when it is over. Only what is not done to gateways. */
  apply(fault: Fault): Promise<void>;
  close(): Promise<void>;
}
