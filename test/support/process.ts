import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

/** A `postern` command in its own process. */
export interface PosternProcess {
  readonly child: ChildProcess;
  /** Returns the standard output so far. */
  output(): string;
  /** Returns the standard error so far, which contains the log. */
  log(): string;
  /** Resolves with the first match of `pattern` in the standard output. Rejects if the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal and waits for the end. Returns the exit code (null after SIGKILL). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a command. `program` is the file of another version of Postern. `uid` is the user and the group of the process, which only root can
 * set.
 */
export function startPostern(
  args: readonly string[],
  env: Record<string, string>,
  program: string = command,
  uid?: number,
): PosternProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'warn',
      // A busy machine must not make it refuse calls as overloaded.
      MAX_EVENT_LOOP_DELAY_MS: '600000',
      MAX_REQUESTS_IN_FLIGHT: '100000',
      MAX_CONCURRENT_REQUESTS: '0',
      // Events that users of the sandbox cause by themselves would come at any time.
      SANDBOX_ACTIVITY: '0',
      ...env,
    },
    ...(uid !== undefined && { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The process has ended, and its whole output was read.
  const closed = once(child, 'close') as Promise<[number | null]>;
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
      void closed.then(() => {
        ended = true;
      });
      for (;;) {
        const match = pattern.exec(out);
        if (match) return match;
        if (ended) throw new Error(`postern ended before it printed ${pattern}: ${out}${errors}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
    async end(signal) {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}
