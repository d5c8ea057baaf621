import type { PlatformRealm, PlatformRealms, RealmState } from '../../platform/realms-port.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type Answered, gather } from './gather.ts';
import { tooFewRealms } from './refusals.ts';

/** The enrolment of an account according to at least two realms. */
export type EnrolmentState =
  | {
      readonly kind: 'enrolled';
      readonly accountId: string;
      readonly version: string;
      /** All realms, starting with those known to have this version. */
      readonly realms: readonly PlatformRealm[];
    }
  | {
      readonly kind: 'none' | 'locked';
      readonly accountId: string;
      /** The versions of incomplete enrolments, which only one realm has, by the number of the realm. */
      readonly left: ReadonlyMap<number, string>;
    };

/** Reads the enrolment from all realms concurrently, without using a guess. Throws if no two realms agree. */
export async function readEnrolmentState(realms: PlatformRealms, runtime: Runtime): Promise<EnrolmentState> {
  const { result, answers, errors } = await gather({
    realms,
    runtime,
    ask: (realm) => realm.state(),
    conclude: (arrived) => agreed(realms, arrived),
    atOnce: realms.length,
    nextDelayMs: 60_000,
  });
  return result ?? stateOfDisagreement(answers, errors);
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

/** Decides when all three realms returned different results. An enrolment that only one realm has is incomplete. */
function stateOfDisagreement(
  answers: readonly Answered<RealmState>[],
  errors: readonly PosternError[],
): EnrolmentState {
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
