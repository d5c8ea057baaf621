import { OperatorError, type OperatorProblem } from '../../shared/errors/operator-error.ts';

/** The result of a check. `skip` means that the check did not run because an earlier one failed. */
export type FindingState = 'ok' | 'warn' | 'fail' | 'skip';

/** One line of the doctor's report. */
export interface Finding {
  readonly name: string;
  readonly state: FindingState;
  /** The observed state. */
  readonly detail: string;
  /** The advice for a problem. */
  readonly todo: string | null;
}

export const passed = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, todo: null });
export const skip = (name: string, because: string): Finding => ({
  name,
  state: 'skip',
  detail: `not checked: ${because}`,
  todo: null,
});
export const warn = (name: string, detail: string, todo: string): Finding => ({ name, state: 'warn', detail, todo });
export const fail = (name: string, detail: string, todo: string): Finding => ({ name, state: 'fail', detail, todo });

export const hasFailure = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === 'fail');

/** Runs a check with a timeout. Returns its findings, or a single finding if the check throws or takes too long. */
export async function inTime(
  name: string,
  limitMs: number,
  check: () => Promise<readonly Finding[]>,
  todo: string,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([fail(name, `no response within ${limitMs / 1_000} s`, todo)]), limitMs);
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
  // If a host name has several addresses, a failed connection has one error for each of them.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return (error instanceof Error && error.message) || String(error);
}

/** Returns the problem that an error describes, with advice if the error contains any. */
export function problemOf(error: unknown): OperatorProblem {
  return error instanceof OperatorError ? error.problem : { detail: reasonOf(error), advice: null };
}
