import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Runs a command of `postern` and waits for its end. Its standard input stays open if `input` is left out. */
export function postern(args: readonly string[], env: Record<string, string> = {}, input?: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, timeout: 600_000 };
    const { stdin } = execFile(process.execPath, [command, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
    if (input === undefined) return;
    // The command may end before it has read everything.
    stdin?.on('error', () => {});
    stdin?.end(input);
  });
}
