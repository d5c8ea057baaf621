import { contentTasks } from '../articles/content-tasks.ts';
import { articleTasks } from '../platform/sandbox/article-tasks.ts';
import type { Task, TaskInput } from '../shared/threads/task.ts';
import type { TaskMessage } from '../shared/threads/task-pool.ts';

/** Every task, by its name. Inputs are not typed here: a task gets what its caller gave to the pool under the same name. */
const tasks = new Map(
  [...Object.values(contentTasks), ...Object.values(articleTasks)].map((task) => [
    task.name,
    task as unknown as Task<TaskInput, unknown>,
  ]),
);

/** Runs one task. Each worker thread calls this function for each message. */
export default function runTask({ name, input }: TaskMessage): unknown {
  const task = tasks.get(name);
  if (task === undefined) throw new Error(`There is no task ${name}`);
  return task.run(input);
}
