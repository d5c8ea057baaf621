import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/at-end.ts';

const childFile = fileURLToPath(new URL('./crash-child.mjs', import.meta.url));

/** Starts the built sandbox as a child process that a test can kill, and that ends with the test. */
export function startChild(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(childFile, [dataDir]);
  atEnd(() => kill(child));
  return new Promise((resolve, reject) => {
    child.once('message', (message: { url: string }) => resolve({ child, url: message.url }));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
}

export function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
