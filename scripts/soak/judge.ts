import { quantile } from '../bench/open-loop.ts';
import type { Books, Events } from './books.ts';
import type { Failure } from './caller.ts';
import type { FaultInjector } from './faults.ts';
import { compareThirds, type Usage } from './usage.ts';

const shownErrors = 10;

interface Row {
  test: string;
  promised: string;
  measured: string;
  met: boolean;
  /** They explain a broken promise. */
  details: string[];
}

interface Results {
  isLong: boolean;
  isPatient: boolean;
  errors: Failure[];
  injector: FaultInjector;
  samples: (Usage & { at: number })[];
  rest: { isFlat: boolean; text: string };
  events: Events & { happened: number };
  books: Books;
  /** `late`: how late rounds began, in milliseconds. `heldBack`: the times of rounds that did not begin. */
  started: { late: number[]; heldBack: number[]; rounds: number };
}

/**
 * Compares the results with the promises. Returns the rows of the report. The figures of a short run are not judged, because caches and the
 * heap are still filling, and connections of the last fault are still open. If `isPatient`, a call that succeeded after a repetition is no
 * error.
 */
export function judge({ isLong, isPatient, errors, injector, samples, rest, events, books, started }: Results): Row[] {
  const row = (test: string, promised: string, measured: string, met: boolean, details: string[] = []): Row => ({
    test,
    promised,
    measured,
    met,
    details,
  });
  const kinds = new Map(injector.windows.map(({ kind }) => [kind, { count: 0, lastMs: 0 }]));
  const outside: Failure[] = [];
  for (const error of errors) {
    const window = injector.during(error.from, error.to);
    if (!window) {
      if (!isPatient || !error.isRepeated) outside.push(error);
      continue;
    }
    const kind = kinds.get(window.kind);
    if (!kind) continue;
    kind.count++;
    kind.lastMs = Math.max(kind.lastMs, error.from - window.to);
  }
  const heldBackAt = started.heldBack.filter((at) => !injector.during(at, at));
  const heldBack = heldBackAt.length;
  const calm = samples.filter(({ at }) => !injector.during(at, at));
  const figures = compareThirds(calm);
  const inside = [...kinds].map(([kind, { count }]) => `${kind} ${count}`).join(', ');
  const slowest = Math.max(...[...kinds.values()].map(({ lastMs }) => lastMs));
  return [
    row(
      'calls',
      'no error without a fault',
      `${outside.length} errors without a fault in ${started.rounds} rounds; with a fault: ${inside}; the last of these began ${Math.max(0, slowest / 1_000).toFixed(1)} s after the end of its fault`,
      outside.length === 0,
      spreadOver(outside, shownErrors).map(({ what, from }) => `${injector.sinceFault(from)}: ${what}`),
    ),
    row(
      'charges',
      'each call that the sandbox performed is charged once, and nothing else',
      `${(books.sums.charged / 1e6).toFixed(3)} dollars in responses, balance and usage; ${books.sums.tweets} tweets, ${books.sums.deleted} deletions and ${books.sums.messages} messages, each performed and charged once; ${books.faults.length} differences`,
      books.faults.length === 0,
      books.faults.slice(0, shownErrors),
    ),
    row(
      'events',
      'each event arrives',
      `${events.happened} events, ${events.deliveries} deliveries, ${events.faults.length} webhooks that miss some`,
      events.faults.length === 0,
      events.faults.slice(0, shownErrors),
    ),
    ...figures.map(({ figure, first, last, limit, isFlat }) =>
      row(
        figure,
        'the same in the first and the last third',
        `median ${first.toFixed(0)}, then ${last.toFixed(0)}${figure === 'memory' ? ' MiB' : ''} (${isLong ? `at most ${limit.toFixed(0)}` : 'not judged'})`,
        isFlat || !isLong,
      ),
    ),
    row('at rest', 'the same before and after', rest.text, rest.isFlat),
    row(
      'rate',
      'without a fault, every round begins',
      `${heldBack} rounds did not begin, because too many were running; ${started.heldBack.length - heldBack} during faults; p99 ${quantile(started.late, 0.99).toFixed(0)} ms late`,
      heldBack === 0 || !isLong,
      [...countsOf(heldBackAt.map((at) => injector.sinceFault(at, 0)))]
        .slice(0, shownErrors)
        .map(([when, count]) => `${when}: ${count}`),
    ),
  ];
}

export function printRows(rows: Row[], print: (line: string) => void): void {
  for (const { test, promised, measured, met, details } of rows) {
    print(`${met ? 'kept  ' : 'BROKEN'} ${test}: ${promised}. Measured: ${measured}`);
    for (const detail of details) print(`         ${detail}`);
  }
}

function countsOf(values: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Returns at most `most` of the items, from the first to the last. */
function spreadOver<Item>(items: Item[], most: number): Item[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => Math.round((index * (items.length - 1)) / (most - 1))).flatMap(
    (at) => items.slice(at, at + 1),
  );
}
