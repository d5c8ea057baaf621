import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

/** `postern …` as a process of its own, as an operator runs it. */
export interface PosternProcess {
  readonly child: ChildProcess;
  /** Standard output so far. */
  output(): string;
  /** Standard error so far: the log. */
  log(): string;
  /** Resolves with the line that `pattern` found on standard output; rejects if the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal, and waits for the end. Answers the exit code (null after SIGKILL). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function startPostern(args: readonly string[], env: Record<string, string>): PosternProcess {
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return {
    child,
    output: () => out,
    log: () => errors,
    async printed(pattern) {
      let ended = false;
      void exited.then(() => {
        ended = true;
      });
      for (;;) {
        const match = pattern.exec(out);
        if (match) return match;
        if (ended) throw new Error(`postern ended before it printed ${pattern}: ${out}${errors}`);
        await Promise.race([once(child.stdout, 'data'), exited]);
      }
    },
    async end(signal) {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}
