// Runs the worker of the service, but records its tasks. A text with `hang <task>` makes that task run forever.
import { appendFileSync } from 'node:fs';
import runTask from '../../dist/main/task-worker.js';

export default function watchedTask(message) {
  if (process.env.TASK_LOG) appendFileSync(process.env.TASK_LOG, `${message.name}\n`);
  while (message.input.text.includes(`hang ${message.name}`));
  return runTask(message);
}
