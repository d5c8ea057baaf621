// The worker of the service, except that it writes down which tasks it gets, and that a text with `hang <task>` in it
// makes that task run for ever.
import { appendFileSync } from 'node:fs';
import runTask from '../../dist/main/task-worker.js';

export default function watchedTask(message) {
  if (process.env.TASK_LOG) appendFileSync(process.env.TASK_LOG, `${message.name}\n`);
  while (message.input.text.includes(`hang ${message.name}`));
  return runTask(message);
}
