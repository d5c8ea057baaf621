/** The outcomes that the callers of one account observed. */
export class Tally {
  /** Calls that may have reached a gateway. All requests with one Idempotency-Key count as one call. */
  issued = 0;
  acknowledged = 0;
  /** Calls after which it is unknown whether they were performed: their connection broke, they timed out, or they got a 5xx. */
  unknown = 0;
  /** Responses with 4xx, or with a 503 that says that nothing was charged. */
  refused = 0;
  /** Responses that no fault explains: a 500, or two different responses to one Idempotency-Key. */
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

/** Checks the sandbox's tweets at the end. Returns the violations. */
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
