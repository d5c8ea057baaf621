import type { Store } from '../../src/store/port.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { type GatewayClock, pause } from './gateway.ts';
import type { Fault } from './schedule.ts';

/** A store under test, with access for gateways and a way to disturb it. */
export interface Backend {
  readonly kind: 'sqlite' | 'mongodb';
  /** Opens direct access to the stored data, without faults. The first call migrates the store to this version. */
  store(): Promise<Store>;
  /** Returns the settings of the gateway with this number. */
  gatewayEnv(gateway: number): Record<string, string>;
  /** Returns the clock of the gateway with this number. Gateways of one machine share a clock. */
  gatewayClock(gateway: number): GatewayClock;
  /** True if the clock of the database can be set. */
  readonly hasClock: boolean;
  /** Applies a fault of the store and resolves when it is over. Faults of gateways are handled elsewhere. */
  apply(fault: Fault): Promise<void>;
  close(): Promise<void>;
}

export interface BackendOptions {
  /** The disk for the data, which can be full. Without it the data is in a new folder of the machine's disk. */
  disk?: SmallDisk | null;
}

/** Fills the disk, and makes room again after `ms`. */
export async function fillFor(disk: SmallDisk | null | undefined, ms: number): Promise<void> {
  if (!disk) throw new Error('this store is on no small disk');
  disk.fill();
  await pause(ms);
  disk.makeRoom();
}
