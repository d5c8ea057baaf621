import type { PollerRecord, Store } from '../../src/store/port.ts';
import { type StoreGroup, storeMethods } from '../../src/store/thread/protocol.ts';
import { untilKnown } from './commit-until-known.ts';

type Operations = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;

/** No time limit of the store is shorter, so an operation that fails sooner has not failed because the machine is slow. */
const shortestLimitMs = 1_000;
/** Errors of operations that begin after a check of the server took longer than the driver waits. */
const afterLateCheck = /no reachable primary|was cleared|server monitor timeout/;

/** Returns the store with its operations repeated if they fail because a slow machine exceeded a time limit of the store. */
export function patientStore(store: Store): Store {
  let isClosed = false;
  const patient = <Result>(operation: () => Promise<Result>): Promise<Result> => {
    let startedAt = 0;
    const timed = () => {
      startedAt = performance.now();
      return operation();
    };
    const isLate = (message: string) =>
      performance.now() - startedAt >= shortestLimitMs || afterLateCheck.test(message);
    return untilKnown(timed, ({ message }) => isClosed || !isLate(message));
  };
  const claimed: PollerRecord[] = [];
  /** Before a claim is repeated, gives back the pollers of the failed attempt, as a process does. */
  const claim = async (process: string, limit: number) => {
    let isRepeated = false;
    const found = await patient(async () => {
      if (isRepeated) await store.pollers.confirm(process, claimed);
      isRepeated = true;
      return store.pollers.claim(process, limit);
    });
    claimed.push(...found);
    return found;
  };
  const repeated = (group: StoreGroup) => {
    const operations = store[group] as unknown as Operations;
    const entries = storeMethods[group].map((name) => {
      return [name, (...args: readonly unknown[]) => patient(async () => operations[name]?.(...args))];
    });
    return [group, Object.fromEntries(entries)];
  };
  const groups = Object.fromEntries((Object.keys(storeMethods) as StoreGroup[]).map(repeated)) as Pick<
    Store,
    StoreGroup
  >;
  return {
    ...groups,
    pollers: { ...groups.pollers, claim },
    kind: store.kind,
    now: () => store.now(),
    ready: () => patient(() => store.ready()),
    inspect: () => patient(() => store.inspect()),
    async close() {
      isClosed = true;
      await store.close();
    },
  };
}
