import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { freePort } from '../support/mongo-server.ts';

/** What a reader does at a fenced block of a guide. */
type Step =
  | { kind: 'run'; commands: string }
  | { kind: 'save'; name: string; content: string }
  | { kind: 'expect'; lines: string[] };

/** Limits end a test that hangs. Go compiles its libraries at the first use. */
const commandsMs = 600_000;
const outputMs = 60_000;

const block = /^```(\w+)( by-hand)?\n(.*?)^```$/gms;

/**
 * Reads the steps of a guide. Blocks of `sh` are run. The block after a paragraph that ends with a file name in backticks and a colon is saved
 * under this name. `text` is the expected output of the commands before it. Blocks with `by-hand` are left out.
 */
function stepsOf(guide: string): Step[] {
  return [...guide.matchAll(block)].flatMap((match): Step[] => {
    const [, language = '', byHand, content = ''] = match;
    if (byHand !== undefined) return [];
    if (language === 'sh') return [{ kind: 'run', commands: content }];
    if (language === 'text')
      return [{ kind: 'expect', lines: content.split('\n').filter((line) => line.trim() !== '') }];
    const [, name] = /`([\w.-]+)`[^`\n]*:\n\n$/.exec(guide.slice(0, match.index)) ?? [];
    if (name === undefined)
      throw new Error(`no sentence names the file of this block of ${language}: ${content.slice(0, 80)}`);
    return [{ kind: 'save', name, content }];
  });
}

/** Returns a pattern for a line of expected output: `…` is any text, and a number any number. */
function patternOf(line: string): RegExp {
  const escaped = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replaceAll('…', '.*').replace(/\d+/g, '\\d+').replace(/\s+/g, '\\s+'));
}

/** Returns the first of the lines that the output does not contain in this order. `undefined` if it contains all. */
function firstMissing(lines: readonly string[], output: string): string | undefined {
  let rest = output;
  return lines.find((line) => {
    const found = patternOf(line).exec(rest);
    if (found) rest = rest.slice(found.index + found[0].length);
    return !found;
  });
}

/** Replaces the ports of programs of a guide (9000 to 9009) by free ones. */
async function withFreePorts(guide: string): Promise<string> {
  let changed = guide;
  for (const port of new Set(guide.match(/\b900\d\b/g))) changed = changed.replaceAll(port, `${await freePort()}`);
  return changed;
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/**
 * Does what a reader of the guide does, in one shell: runs the commands of a block, and looks at their output before the next one. At the end
 * all processes of the shell are killed.
 */
export async function followGuide(guide: string, cwd: string, env: Record<string, string>): Promise<void> {
  const steps = stepsOf(await withFreePorts(guide));
  expect(steps).not.toEqual([]);
  const { PATH, HOME } = process.env;
  const shell = spawn('bash', ['-eo', 'pipefail'], { cwd, env: { PATH, HOME, ...env }, detached: true });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  let ended = false;
  shell.once('exit', () => {
    ended = true;
  });
  // A command that failed has ended the shell.
  shell.stdin.on('error', () => {});
  let start = 0;
  const printed = () => output.slice(start);
  try {
    for (const [index, step] of steps.entries())
      if (step.kind === 'save') writeFileSync(join(cwd, step.name), step.content);
      else if (step.kind === 'run') {
        start = output.length;
        const end = `-- end of step ${index} --`;
        // The commands must not read the next ones, which are in the standard input of the shell.
        shell.stdin.write(`{\n${step.commands}} < /dev/null\necho '${end}'\n`);
        await expect.poll(() => ended || printed().includes(end), { timeout: commandsMs }).toBe(true);
        expect(printed(), `failed: ${step.commands}`).toContain(end);
      } else {
        // Programs in the background print later.
        const check = () => expect(firstMissing(step.lines, printed()), printed()).toBeUndefined();
        await vi.waitFor(check, { timeout: outputMs });
      }
  } finally {
    killGroup(shell.pid);
  }
}
