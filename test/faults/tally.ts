/** What callers of one account saw. */
export class Tally {
  /** Calls, or requests under one Idempotency-Key however often they were sent, that may have reached a gateway. */
  issued = 0;
  acknowledged = 0;
  /** Nobody told the caller, or not all of it: a broken connection, no answer in time, a 5xx. */
  unknown = 0;
  /** 4xx, or a 503 that says that nothing was charged. */
  refused = 0;
  /** Answers that no fault excuses: 500, or two answers to one Idempotency-Key. */
  readonly wrong: string[] = [];
  readonly acknowledgedTexts = new Set<string>();
  readonly refusedTexts = new Set<string>();

  note(outcome: Outcome, text?: string): void {
    this[outcome] += 1;
    if (text === undefined) return;
    if (outcome === 'acknowledged') this.acknowledgedTexts.add(text);
    if (outcome === 'refused') this.refusedTexts.add(text);
  }
}

export type Outcome = 'acknowledged' | 'unknown' | 'refused';

/** What must hold of the sandbox's tweets at the end. Answers what does not. */
export function judgeTweets(texts: readonly string[], tallies: readonly Tally[]): string[] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  const faults = [...times].filter(([, count]) => count > 1).map(([text, count]) => `posted ${count} times: ${text}`);
  for (const tally of tallies) {
    for (const text of tally.acknowledgedTexts) {
      if (!times.has(text)) faults.push(`acknowledged, but not there: ${text}`);
    }
    for (const text of tally.refusedTexts) {
      if (times.has(text)) faults.push(`refused, but there: ${text}`);
    }
  }
  return faults;
}
