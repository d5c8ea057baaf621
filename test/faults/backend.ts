import type { Store } from '../../src/store/port.ts';
import type { Fault } from './schedule.ts';

/** A store under test, with access for gateways and a way to disturb it. */
export interface Backend {
  readonly kind: 'sqlite' | 'mongodb';
  /** Direct access to the stored data, without faults. */
  readonly store: Store;
  /** Returns the settings of the gateway with this number. */
  gatewayEnv(gateway: number): Record<string, string>;
  /** Applies a fault of the store and resolves when it is over. Faults of gateways are handled elsewhere. */
  apply(fault: Fault): Promise<void>;
  close(): Promise<void>;
}
