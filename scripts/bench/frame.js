// Functions that the benchmarks share: arguments, alternating rounds, and results for the report.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Parses the command line. `--help` prints `usage` and ends the process. */
export function readArguments(usage, options) {
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(`Usage: ${usage.trim()}\n`);
    process.exit();
  }
  return values;
}

/** Returns how long a round of load lasts. Round 0 of `alternate` is longer, because V8 needs thousands of requests to optimise all code. */
export function roundMs(round, durationMs, warmUpMs = 4_000) {
  return round === 0 ? Math.max(warmUpMs, durationMs) : durationMs;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

/** Returns the median of `values` with the lowest and the highest value. */
export function spread(values) {
  return { value: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function showSpread({ value, low, high }) {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/**
 * Measures the subjects alternately (A B C, B C A, …), so that neither a change of the machine's speed nor the position in the round favours
 * a subject. Round 0 is a warm-up and is not counted. Returns the results of each subject.
 */
export async function alternate(subjects, rounds, measure) {
  const results = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    const entries = Object.entries(subjects);
    const first = round % entries.length;
    for (const [name, subject] of [...entries.slice(first), ...entries.slice(0, first)]) {
      const result = await measure(subject, name, round);
      if (round > 0) results[name].push(result);
    }
  }
  return results;
}

/**
 * Writes results for `npm run bench` to the file BENCH_RESULTS. Does nothing if this variable is not set.
 *
 * `metrics`: `{ id, label, value, low?, high?, unit, better: 'higher' | 'lower' }`, for tables and comparisons.
 * `charts`: `{ title, unit, categories, series: [{ name, values }] }`.
 */
export function recordResults(results) {
  const path = process.env.BENCH_RESULTS;
  if (path) writeFileSync(path, JSON.stringify({ metrics: [], charts: [], ...results }));
}
