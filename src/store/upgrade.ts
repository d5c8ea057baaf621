import { OperatorError } from '../shared/errors/operator-error.ts';
import { processTtlMs } from './port.ts';

/** A store, as messages name it, and what to use instead of it. */
export interface NamedStore {
  name: string;
  alternative: string;
}

/**
 * Checks that this version can use a store that a newer version has migrated. `compatibleSince` is the oldest schema version that can,
 * according to the newer version.
 */
export function assertCompatible(store: NamedStore, found: number, own: number, compatibleSince: number): void {
  if (own >= compatibleSince) return;
  throw new OperatorError({
    detail: `The ${store.name} was written by a newer version of Postern (its schema version is ${found}, this version supports ${own})`,
    advice: `use the newer version of Postern, or another ${store.alternative}`,
  });
}

/** Checks that no process runs that could not use the store after its migration. */
export function assertNoneRuns(store: NamedStore, processes: number): void {
  if (processes === 0) return;
  throw new OperatorError({
    detail: `The ${store.name} needs a migration with which running processes of an older version of Postern cannot work (${processes} of them run)`,
    advice: `stop them first. A process that was killed counts as running for ${processTtlMs / 1_000} s`,
  });
}
