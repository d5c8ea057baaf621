import type { PlatformRealm, PlatformRealms } from '../../platform/realms-port.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

/** A step of a realm that takes longer counts as failed. */
const limitMs = 10_000;

export interface Answered<Answer> {
  readonly realm: PlatformRealm;
  readonly answer: Answer;
}

export interface Gathering<Answer, Result> {
  readonly realms: PlatformRealms;
  readonly runtime: Runtime;
  ask(realm: PlatformRealm): Promise<Answer>;
  /** What follows from the answers so far, if anything does. */
  conclude(answers: readonly Answered<Answer>[]): Result | undefined;
  /** How many realms are asked at once. The next is asked when one failed, when too little came of all, or when it takes long. */
  atOnce: number;
  patienceMs: number;
}

export interface Gathered<Answer, Result> {
  readonly result: Result | undefined;
  readonly answers: readonly Answered<Answer>[];
  readonly errors: readonly PosternError[];
  /** What each realm that was asked does, the slow ones too. Never rejects. */
  readonly underWay: ReadonlyMap<PlatformRealm, Promise<void>>;
}

/** Asks as many realms as it takes to conclude something, and waits for no more of them than that. */
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
