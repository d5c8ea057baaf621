import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Runs `postern …` to its end, as an operator does. */
export function postern(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, timeout: 15_000 };
    execFile(process.execPath, [command, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}
