import type { Stage, Tracing } from '../shared/observability/tracing.ts';
import type { Store } from './port.ts';
import { type StoreGroup, storeMethods } from './thread/protocol.ts';

type Operations = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;

/** Returns the store with all of its operations recorded as spans of the request that they belong to. */
export function tracedStore(store: Store, tracing: Tracing): Store {
  const traced = (group: StoreGroup) => {
    const operations = store[group] as unknown as Operations;
    const entries = storeMethods[group].map((name) => {
      const stage = storeStage(store.kind, `${group}.${name}`);
      return [name, (...args: readonly unknown[]) => tracing.stage(stage, async () => operations[name]?.(...args))];
    });
    return [group, Object.fromEntries(entries)];
  };
  return {
    ...(Object.fromEntries((Object.keys(storeMethods) as StoreGroup[]).map(traced)) as Pick<Store, StoreGroup>),
    kind: store.kind,
    ...(store.callsWaiting && { callsWaiting: store.callsWaiting }),
    now: () => store.now(),
    ready: () => store.ready(),
    inspect: () => store.inspect(),
    close: () => store.close(),
  };
}

function storeStage(kind: string, operation: string): Stage {
  const attributes = { 'db.system.name': kind, 'db.operation.name': operation };
  return { name: `store ${operation}`, kind: 'client', attributes };
}
