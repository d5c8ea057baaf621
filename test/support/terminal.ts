import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

/** True if `script` of util-linux is installed, which runs a program in a terminal. */
export const hasTerminal = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

/**
 * Runs a command of `postern` in a terminal and returns its output, with escape sequences. Each of `answers` is typed when the output ends
 * with its prompt.
 */
export function inTerminal(
  args: readonly string[],
  env: Record<string, string>,
  { columns = 80, answers = [] as [prompt: string, text: string][] } = {},
): Promise<string> {
  const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ');
  const waiting = [...answers];
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...env }, timeout: 600_000 };
    const script = ['-qec', `stty cols ${columns}; ${words}`, '/dev/null'];
    const child = execFile('script', script, options, (_error, out) => resolve(out));
    let seen = '';
    child.stdout?.on('data', (chunk) => {
      seen += chunk;
      const [prompt, text] = waiting[0] ?? [];
      if (prompt === undefined || !seen.includes(prompt)) return;
      waiting.shift();
      child.stdin?.write(`${text}\n`);
    });
  });
}
