// Shared functions of the benchmarks and checks: program selection, arguments, alternating rounds and medians.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Runs the program that the first argument names, with the other arguments. Prints all names if the name is missing or unknown. */
export async function runNamed(
  command: string,
  programs: Record<string, { about: string; load: () => Promise<unknown> }>,
): Promise<void> {
  const [name = '--help'] = process.argv.splice(2, 1);
  const program = programs[name];
  if (program) {
    await program.load();
    return;
  }
  const lines = Object.entries(programs).map(([each, { about }]) => `  ${each.padEnd(10)}${about}\n`);
  process.stdout.write(
    `Usage: npm run ${command} -- NAME [options]\n\n${lines.join('')}\n\`npm run ${command} -- NAME --help\` prints the options.\n`,
  );
  if (!['--help', '-h'].includes(name)) process.exitCode = 2;
}

/** Parses the command line. `--help` prints `usage` and ends the process. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`Usage: ${usage.trim()}\n`);
    process.exit();
  }
  return parseArgs({ options }).values;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The median of some values with the lowest and the highest value. */
export interface Spread {
  value: number;
  low: number;
  high: number;
}

export function spread(values: readonly number[]): Spread {
  return { value: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function showSpread({ value, low, high }: Spread): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
