// Runs the worker of the service, but records its tasks. A text with `hang <task>` makes that task run forever.
import { appendFileSync } from 'node:fs';
import runTask from '../../dist/main/task-worker.js';

export default function watchedTask(message) {
  if (process.env.TASK_LOG) appendFileSync(process.env.TASK_LOG, `${message.name}\n`);
  // The thread sleeps instead of running in circles, so that other tests keep the processor.
  if (message.input.text.includes(`hang ${message.name}`)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return runTask(message);
}
