import type { PlatformRealm, PlatformRealms } from '../../platform/realms-port.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { type Runtime, withTimeout } from '../../shared/runtime/runtime.ts';

/** The time limit of each request to a realm, in milliseconds. */
const timeoutMs = 10_000;

export interface Answered<Answer> {
  readonly realm: PlatformRealm;
  readonly answer: Answer;
}

export interface Gathering<Answer, Result> {
  readonly realms: PlatformRealms;
  readonly runtime: Runtime;
  ask(realm: PlatformRealm): Promise<Answer>;
  /** Returns a result if the responses so far are sufficient. */
  conclude(answers: readonly Answered<Answer>[]): Result | undefined;
  /**
   * The number of realms to ask at first. Another realm is asked when one fails, when all have responded without a
   * result, or after `nextDelayMs`.
   */
  atOnce: number;
  nextDelayMs: number;
}

export interface Gathered<Answer, Result> {
  readonly result: Result | undefined;
  readonly answers: readonly Answered<Answer>[];
  readonly errors: readonly PosternError[];
  /** The request sent to each realm, which may still be running. These promises never reject. */
  readonly sent: ReadonlyMap<PlatformRealm, Promise<void>>;
}

/** Asks realms until `conclude` returns a result. Does not wait for the remaining requests. */
export async function gather<Answer, Result>(gathering: Gathering<Answer, Result>): Promise<Gathered<Answer, Result>> {
  const { realms, runtime, conclude, nextDelayMs } = gathering;
  const answers: Answered<Answer>[] = [];
  const errors: PosternError[] = [];
  const sent = new Map<PlatformRealm, Promise<void>>();
  const pending = new Set<Promise<void>>();
  const waiting = [...realms];
  const askNext = () => {
    const realm = waiting.shift();
    if (realm === undefined) return;
    const asked = withTimeout(runtime, gathering.ask(realm), timeoutMs, realmTimeout).then(
      (answer) => void answers.push({ realm, answer }),
      (error: unknown) => void errors.push(asPosternError(error)),
    );
    sent.set(realm, asked);
    pending.add(asked);
    void asked.then(() => pending.delete(asked));
  };
  for (let number = 0; number < gathering.atOnce; number++) askNext();
  let result = conclude(answers);
  while (result === undefined && pending.size > 0) {
    const failed = errors.length;
    const delay = sleeping(runtime, nextDelayMs);
    const first = await Promise.race([...pending, delay.over]);
    delay.cancel();
    result = conclude(answers);
    if (result === undefined && (first === 'late' || errors.length > failed || pending.size === 0)) askNext();
  }
  return { result, answers, errors, sent };
}

function sleeping(runtime: Runtime, ms: number): { over: Promise<'late'>; cancel(): void } {
  let cancel = () => {};
  const over = new Promise<'late'>((resolve) => {
    const timer = runtime.after(ms, () => resolve('late'));
    cancel = () => timer.cancel();
  });
  return { over, cancel };
}

function realmTimeout(): PosternError {
  return new PosternError('realm_timeout', 'A key realm did not respond in time');
}
