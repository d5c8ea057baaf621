import type { TaskRunner } from '../../shared/threads/task.ts';

/** A check of an input that takes too long for the main thread. It runs once for each request, in a worker thread. */
export interface ExpensiveCheck<Input = never, Checked = unknown> {
  /** How many characters have to be checked; 0 if the check can be left out. */
  readonly size: (input: Input) => number;
  /** Returns the input for `run`. Throws `bad_input`. */
  readonly check: (input: Input, tasks: TaskRunner) => Promise<Checked>;
}
