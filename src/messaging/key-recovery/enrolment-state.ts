import type { PlatformRealm, PlatformRealms, RealmState } from '../../platform/realms-port.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type Answered, gather } from './gather.ts';
import { tooFewRealms } from './refusals.ts';

/** How an account stands with the realms. */
export type EnrolmentState =
  | {
      readonly kind: 'enrolled';
      readonly accountId: string;
      readonly version: string;
      /** Those that are known to have that version first. */
      readonly realms: readonly PlatformRealm[];
    }
  | {
      readonly kind: 'none' | 'locked';
      readonly accountId: string;
      /** By place: what realms have of an enrolment that did not come to two of them. */
      readonly left: ReadonlyMap<number, string>;
    };

/** Asks how the account stands. It costs no guess, so all are asked at once. Throws where no two of them agree. */
export async function readEnrolmentState(realms: PlatformRealms, runtime: Runtime): Promise<EnrolmentState> {
  const { result, answers, errors } = await gather({
    realms,
    runtime,
    ask: (realm) => realm.state(),
    conclude: (arrived) => agreed(realms, arrived),
    atOnce: realms.length,
    patienceMs: 60_000,
  });
  return result ?? undecided(answers, errors);
}

function agreed(realms: PlatformRealms, answers: readonly Answered<RealmState>[]): EnrolmentState | undefined {
  for (const [index, { answer }] of answers.entries()) {
    const other = answers.slice(index + 1).find((later) => isSame(answer, later.answer));
    if (other === undefined) continue;
    if (answer.kind !== 'enrolled') return { ...answer, left: versionsOf(answers) };
    const known = answers.filter((one) => isSame(one.answer, answer)).map(({ realm }) => realm);
    return { ...answer, realms: [...known, ...realms.filter((realm) => !known.includes(realm))] };
  }
  return undefined;
}

function isSame(one: RealmState, other: RealmState): boolean {
  if (one.accountId !== other.accountId || one.kind !== other.kind) return false;
  return one.kind !== 'enrolled' || other.kind !== 'enrolled' || one.version === other.version;
}

/** All three answered, and differently: an enrolment that came to one of them alone is none. */
function undecided(answers: readonly Answered<RealmState>[], errors: readonly PosternError[]): EnrolmentState {
  const [first] = answers;
  if (first === undefined || errors.length > 0) throw tooFewRealms(errors);
  const { accountId } = first.answer;
  const kind = answers.some(({ answer }) => answer.kind === 'locked') ? 'locked' : 'none';
  return { kind, accountId, left: versionsOf(answers) };
}

function versionsOf(answers: readonly Answered<RealmState>[]): Map<number, string> {
  return new Map(
    answers.flatMap(({ realm: { place }, answer }) => (answer.kind === 'enrolled' ? [[place, answer.version]] : [])),
  );
}
