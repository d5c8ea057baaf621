import type { MessagePort } from 'node:worker_threads';
import { type Store, StoreUnavailableError } from '../port.ts';
import { type Answers, type Calls, type Method, type StoreGroup, verbs } from './protocol.ts';

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** The thread's side of `remoteStore`: performs the calls that come in through `port`. */
export function serveStore(store: Store, port: MessagePort): void {
  const methods = new Map<Method, Call>([
    ['ready', () => store.ready()],
    ['inspect', () => store.inspect()],
    ['close', () => store.close()],
  ]);
  for (const group of Object.keys(verbs) as StoreGroup[]) {
    const target = store[group] as unknown as Record<string, Call>;
    for (const verb of verbs[group]) {
      methods.set(`${group}.${verb}` as Method, (...args) => (target[verb] as Call)(...args));
    }
  }
  let answers: Answers[number][] = [];
  const answer = (one: Answers[number]) => {
    // What one transaction settles, it settles in one turn: the answers go back together.
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
        (fault) => answer({ id, fault, unavailable: fault instanceof StoreUnavailableError }),
      );
    }
  });
}
