import type { PlatformRealm, PlatformRealms } from '../../platform/realms-port.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

/** The deadline for each request to a realm. */
const limitMs = 10_000;

export interface Answered<Answer> {
  readonly realm: PlatformRealm;
  readonly answer: Answer;
}

export interface Gathering<Answer, Result> {
  readonly realms: PlatformRealms;
  readonly runtime: Runtime;
  ask(realm: PlatformRealm): Promise<Answer>;
  /** Returns a result if the answers so far are enough for one. */
  conclude(answers: readonly Answered<Answer>[]): Result | undefined;
  /** The number of realms asked at first. The next one is asked if one fails, if all have answered without a result, or after `patienceMs`. */
  atOnce: number;
  patienceMs: number;
}

export interface Gathered<Answer, Result> {
  readonly result: Result | undefined;
  readonly answers: readonly Answered<Answer>[];
  readonly errors: readonly PosternError[];
  /** The request to each realm that was asked. These promises never reject. */
  readonly underWay: ReadonlyMap<PlatformRealm, Promise<void>>;
}

/** Asks realms until `conclude` returns a result, and does not wait for the rest. */
export async function gather<Answer, Result>(gathering: Gathering<Answer, Result>): Promise<Gathered<Answer, Result>> {
  const { realms, runtime, conclude, patienceMs } = gathering;
  const answers: Answered<Answer>[] = [];
  const errors: PosternError[] = [];
  const underWay = new Map<PlatformRealm, Promise<void>>();
  const pending = new Set<Promise<void>>();
  const waiting = [...realms];
  const askNext = () => {
    const realm = waiting.shift();
    if (realm === undefined) return;
    const asked = within(runtime, gathering.ask(realm)).then(
      (answer) => void answers.push({ realm, answer }),
      (error: unknown) => void errors.push(asPosternError(error)),
    );
    underWay.set(realm, asked);
    pending.add(asked);
    void asked.then(() => pending.delete(asked));
  };
  for (let number = 0; number < gathering.atOnce; number++) askNext();
  let result = conclude(answers);
  while (result === undefined && pending.size > 0) {
    const failed = errors.length;
    const patience = sleeping(runtime, patienceMs);
    const first = await Promise.race([...pending, patience.over]);
    patience.cancel();
    result = conclude(answers);
    if (result === undefined && (first === 'late' || errors.length > failed || pending.size === 0)) askNext();
  }
  return { result, answers, errors, underWay };
}

function sleeping(runtime: Runtime, ms: number): { over: Promise<'late'>; cancel(): void } {
  let cancel = () => {};
  const over = new Promise<'late'>((resolve) => {
    const timer = runtime.after(ms, () => resolve('late'));
    cancel = () => timer.cancel();
  });
  return { over, cancel };
}

function within<T>(runtime: Runtime, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new PosternError('realm_timeout', 'A key realm did not answer in time'));
    const timer = runtime.after(limitMs, late);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
