/** What is wrong with an installation, and what its operator can do about it. */
export interface Fault {
  readonly detail: string;
  /** `null` if nobody can say. */
  readonly advice: string | null;
}

/** An error that the operator reads: at a start, in the log, or from `postern doctor`, which shows the advice apart. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  readonly fault: Fault;

  constructor(fault: Fault | string, options?: ErrorOptions) {
    const known = typeof fault === 'string' ? { detail: fault, advice: null } : fault;
    super(known.advice === null ? known.detail : `${known.detail}: ${known.advice}`, options);
    this.fault = known;
  }
}
