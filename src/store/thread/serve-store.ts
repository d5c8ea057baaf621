import type { MessagePort } from 'node:worker_threads';
import { type Store, StoreUnavailableError } from '../port.ts';
import { type Answers, type Calls, type Method, type StoreGroup, storeMethods } from './protocol.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Runs in the thread of the store and performs the calls that `RemoteStore` sends through `port`. */
export function serveStore(store: Store, port: MessagePort): void {
  const methods = new Map<Method, Call>([
    ['ready', () => store.ready()],
    ['inspect', () => store.inspect()],
    ['close', () => store.close()],
  ]);
  for (const group of Object.keys(storeMethods) as StoreGroup[]) {
    const target = store[group] as unknown as Record<string, Call>;
    for (const verb of storeMethods[group]) {
      methods.set(`${group}.${verb}` as Method, (...args) => (target[verb] as Call)(...args));
    }
  }
  let answers: Answers[number][] = [];
  const answer = (one: Answers[number]) => {
    // All calls of one transaction end in the same turn, so their results are sent together.
    if (answers.push(one) > 1) return;
    queueMicrotask(() => {
      port.postMessage(answers satisfies Answers);
      answers = [];
    });
  };
  port.on('message', (calls: Calls) => {
    for (const { id, method, args } of calls) {
      const call = methods.get(method) as Call;
      call(...args).then(
        (value) => answer({ id, value }),
        (failure) => answer({ id, failure, unavailable: failure instanceof StoreUnavailableError }),
      );
    }
  });
}
