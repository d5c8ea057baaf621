import { type Fault, OperatorError } from '../../shared/errors/operator-error.ts';

/** `skip`: not checked, because an earlier check failed. */
export type FindingState = 'ok' | 'warn' | 'fail' | 'skip';

/** One line of the doctor's report. */
export interface Finding {
  readonly name: string;
  readonly state: FindingState;
  /** The observed state. */
  readonly detail: string;
  /** The advice if something is wrong. */
  readonly todo: string | null;
}

export const ok = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, todo: null });
export const skip = (name: string, because: string): Finding => ({
  name,
  state: 'skip',
  detail: `not looked at: ${because}`,
  todo: null,
});
export const warn = (name: string, detail: string, todo: string): Finding => ({ name, state: 'warn', detail, todo });
export const fail = (name: string, detail: string, todo: string): Finding => ({ name, state: 'fail', detail, todo });

export const failed = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === 'fail');

/** Returns the findings of a check, or a single finding if the check throws or takes too long. */
export async function inTime(
  name: string,
  limitMs: number,
  check: () => Promise<readonly Finding[]>,
  todo: string,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([fail(name, `no answer within ${limitMs / 1_000} s`, todo)]), limitMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    return [fail(name, reasonOf(error), todo)];
  } finally {
    clearTimeout(timer);
  }
}

export function reasonOf(error: unknown): string {
  // A connection to a name with several addresses fails with the error of each attempt.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return (error instanceof Error && error.message) || String(error);
}

/** Returns the fault of an error, with advice if the error has some. */
export function faultOf(error: unknown): Fault {
  return error instanceof OperatorError ? error.fault : { detail: reasonOf(error), advice: null };
}
