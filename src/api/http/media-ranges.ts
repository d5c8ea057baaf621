/**
 * Parses an `Accept` header (RFC 9110 section 12.5.1). Returns the quality of each media range, such as `text/*`. The
 * quality is 0 (not acceptable) to 1. A malformed quality counts as 0.
 */
export function mediaRanges(accept: string): ReadonlyMap<string, number> {
  // `Map` keeps the last of equal ranges, so `reverse` makes the first one count.
  return new Map(accept.toLowerCase().split(',').map(readRange).reverse());
}

function readRange(range: string): [name: string, quality: number] {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  // Some clients, such as those of Java, send a single `*`.
  return [name === '*' ? '*/*' : name, value >= 0 && value <= 1 ? value : 0];
}
