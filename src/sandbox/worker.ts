import { parentPort, workerData } from 'node:worker_threads';
import { startSandbox } from './sandbox.ts';
import type { SandboxWorkerMessage, SandboxWorkerOptions, ToWorker } from './worker-host.ts';

/** The worker thread: starts the sandbox, reports its address, and stops when asked. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread');
const post = (message: SandboxWorkerMessage) => port.postMessage(message);

try {
  const sandbox = await startSandbox(workerData as SandboxWorkerOptions);
  port.on('message', (command: ToWorker) => {
    if (command !== 'close') return;
    void sandbox.close().then(() => {
      post({ kind: 'closed' });
      port.close();
    });
  });
  post({ kind: 'ready', url: sandbox.url, port: sandbox.port });
} catch (error) {
  // `postMessage` of an Error drops `code` and `port`, so both are sent as separate fields.
  const { message, code, port: takenPort } = error as NodeJS.ErrnoException & { port?: number };
  post({ kind: 'failed', message, code, port: takenPort });
  port.close();
}
