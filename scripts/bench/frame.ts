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

/** Returns the duration of a round. Round 0 of `alternate` is longer, because V8 needs thousands of requests to optimise all code. */
export function roundMs(round: number, durationMs: number, warmUpMs = 4_000): number {
  return round === 0 ? Math.max(warmUpMs, durationMs) : durationMs;
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

/**
 * Measures the subjects alternately (A B C, B C A, …), so that neither the machine's speed nor the position in a round favours one.
 * Round 0 is a warm-up and is not counted. Returns the results of each subject.
 */
export async function alternate<Name extends string, Subject, Result>(
  subjects: Record<Name, Subject>,
  rounds: number,
  measure: (subject: Subject, name: Name, round: number) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(subjects) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round <= rounds; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const result = await measure(subjects[name], name, round);
      if (round > 0) results[name].push(result);
    }
  }
  return results;
}
