import { execFile } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

/** The built modules, because Node starts their worker threads and processes. */
const program = new URL('../../dist/cli/run.js', import.meta.url).href;
const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Returns what is typed after the command has printed something to standard error. */
export type Typing = (printed: (pattern: RegExp) => Promise<RegExpExecArray>) => Promise<string>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `postern` in this process, after the commands before it. The command gets its own arguments, environment and standard
 * streams. Its standard input stays open if `input` is left out.
 */
export function postern(
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string | Typing,
): Promise<Outcome> {
  const outcome = last.then(() => runHere(args, env, input));
  last = outcome.catch(() => undefined);
  return outcome;
}

async function runHere(
  args: readonly string[],
  env: Record<string, string>,
  input?: string | Typing,
): Promise<Outcome> {
  const texts = { out: '', err: '' };
  const sink = (name: keyof typeof texts) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += chunk;
        done();
      },
    });
  const stdin = new PassThrough();
  if (typeof input === 'string') stdin.end(input);
  const printed = (pattern: RegExp) =>
    until(() => pattern.exec(texts.err) ?? Promise.reject(new Error(`${pattern} is not in ${texts.err}`)));
  const typing = typeof input === 'function' ? input(printed) : null;
  const typed = typing?.then((text) => stdin.end(text));
  let exit = (_code: number): void => {};
  const exited = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const changes = {
    argv: { value: [process.execPath, command, ...args] },
    env: { value: { PATH: process.env['PATH'], ...env } },
    stdin: { value: stdin },
    stdout: { value: sink('out') },
    stderr: { value: sink('err') },
    exit: { value: exit },
  };
  const { run } = (await import(program)) as typeof import('../../src/cli/run.ts');
  const names = Object.keys(changes) as (keyof typeof changes)[];
  const originals = names.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const name of names) Object.defineProperty(process, name, { ...changes[name], configurable: true });
  try {
    const code = await Promise.race([exited, run()]);
    await typed;
    return { code, ...texts };
  } finally {
    for (const [name, original] of originals) Object.defineProperty(process, name, original ?? {});
  }
}

/** Runs a command of `postern` in its own process and waits for its end. */
export function posternProcess(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, timeout: 600_000 };
    execFile(process.execPath, [command, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}
