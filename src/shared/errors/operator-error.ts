/** A problem of an installation and the advice for its operator. */
export interface OperatorProblem {
  readonly detail: string;
  /** Advice to solve the problem; `null` if there is none. */
  readonly advice: string | null;
}

/** An error for the operator, shown at start-up, in the log, or by `postern doctor`, which shows the advice separately. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  readonly problem: OperatorProblem;

  constructor(problem: OperatorProblem | string, options?: ErrorOptions) {
    const known = typeof problem === 'string' ? { detail: problem, advice: null } : problem;
    super(known.advice === null ? known.detail : `${known.detail}: ${known.advice}`, options);
    this.problem = known;
  }
}
