/** A computation on text that may take long. It runs in a worker thread, so its input and output must be structured-cloneable. */
export interface Task<Input extends TaskInput, Output> {
  /** A name that is unique among all tasks. */
  readonly name: string;
  /**
   * Texts of up to this many characters are processed on the calling thread. Use it only for tasks that are fast for any text of this
   * length.
   */
  readonly inlineUpTo: number;
  readonly run: (input: Input) => Output | Promise<Output>;
}

export interface TaskInput {
  /** The text that determines the task's time and memory. */
  readonly text: string;
}

/** Runs the tasks of one call. Throws `TaskLimitError`, `rate_limited`, `unavailable` or `request_timeout`. */
export interface TaskRunner {
  run<Input extends TaskInput, Output>(task: Task<Input, Output>, input: Input): Promise<Output>;
}

/** A validation of an input that takes too long for the main thread. It runs once per request in a worker thread. */
export interface ExpensiveCheck<Input = never, Checked = unknown> {
  /** Returns the number of characters to check. Returns 0 if the check is not needed. */
  readonly size: (input: Input) => number;
  /** Checks the input and returns the input for `run`. Throws `bad_input`. */
  readonly check: (input: Input, tasks: TaskRunner) => Promise<Checked>;
}
