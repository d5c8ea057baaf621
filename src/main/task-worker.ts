import { contentTasks } from '../articles/content-tasks.ts';
import { articleTasks as atprotoTasks } from '../platform/atproto/article-tasks.ts';
import { articleTasks as sandboxTasks } from '../platform/sandbox/article-tasks.ts';
import { articleTasks as xTasks } from '../platform/x/article-tasks.ts';
import type { Task, TaskInput } from '../shared/threads/task.ts';
import type { TaskMessage } from '../shared/threads/task-pool.ts';

/** All tasks by name. Inputs are not typed here, because a task gets the input that its caller passed to the pool with the same name. */
const tasks = new Map(
  [contentTasks, sandboxTasks, atprotoTasks, xTasks]
    .flatMap((group) => Object.values(group))
    .map((task) => [task.name, task as unknown as Task<TaskInput, unknown>]),
);

/** Runs one task. Each worker thread calls this function for each message. */
export default function runTask({ name, input }: TaskMessage): unknown {
  const task = tasks.get(name);
  if (task === undefined) throw new Error(`There is no task ${name}`);
  return task.run(input);
}
