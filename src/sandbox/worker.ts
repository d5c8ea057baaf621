import { parentPort, workerData } from 'node:worker_threads';
import { startSandbox } from './sandbox.ts';
import type { SandboxWorkerMessage, SandboxWorkerOptions, ToWorker } from './worker-host.ts';

/** The worker's side: starts the platform, says so, and stops when told. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread');
const say = (message: SandboxWorkerMessage) => port.postMessage(message);

try {
  const sandbox = await startSandbox(workerData as SandboxWorkerOptions);
  port.on('message', (command: ToWorker) => {
    if (command !== 'close') return;
    void sandbox.close().then(() => {
      say({ kind: 'closed' });
      port.close();
    });
  });
  say({ kind: 'ready', url: sandbox.url, port: sandbox.port });
} catch (error) {
  // A structured clone would drop `code`, which tells a port that is taken from everything else, and the port.
  const { message, code, port: takenPort } = error as NodeJS.ErrnoException & { port?: number };
  say({ kind: 'failed', message, code, port: takenPort });
  port.close();
}
