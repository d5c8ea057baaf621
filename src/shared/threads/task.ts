/** A computation on text that may take long. It runs in a worker thread, so its input and output must be structured-cloneable. */
export interface Task<Input extends TaskInput, Output> {
  /** Unique among all tasks. */
  readonly name: string;
  /** Texts of up to this many characters run on the calling thread. Only for tasks that are fast for any text of this length. */
  readonly inlineUpTo: number;
  readonly run: (input: Input) => Output | Promise<Output>;
}

export interface TaskInput {
  /** The text that the task's time and memory depend on. */
  readonly text: string;
}

/** Runs the tasks of one call. Throws `TaskLimitError`, `rate_limited`, `unavailable` or `request_timeout`. */
export interface TaskRunner {
  run<Input extends TaskInput, Output>(task: Task<Input, Output>, input: Input): Promise<Output>;
}

/** A check of an input that takes too long for the main thread. It runs once for each request, in a worker thread. */
export interface ExpensiveCheck<Input = never, Checked = unknown> {
  /** How many characters have to be checked; 0 if the check can be left out. */
  readonly size: (input: Input) => number;
  /** Returns the input for `run`. Throws `bad_input`. */
  readonly check: (input: Input, tasks: TaskRunner) => Promise<Checked>;
}
