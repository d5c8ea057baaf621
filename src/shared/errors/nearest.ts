/** Returns the names that a mistyped name may stand for, the most similar first; at most three. */
function nearest(typed: string, names: readonly string[]): string[] {
  const wanted = spelling(typed);
  const ranked = names.map((name) => ({ name, distance: distanceOf(wanted, spelling(name)) }));
  const best = Math.min(...ranked.map(({ distance }) => distance));
  return ranked
    .filter(({ distance }) => distance <= Math.min(0.4, best + 0.1))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Ends a sentence about a mistyped name, and asks for the nearest names if there are any. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const found = nearest(typed, names);
  return found.length === 0 ? '.' : `. Did you mean ${found.join(' or ')}?`;
}

function spelling(name: string): string {
  return name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[\s-]/g, '_');
}

/**
 * Returns how much two names differ: the number of edits relative to the length. Also compares the last part of the
 * typed name with each word of the other name, because `search` may stand for `tweet/advanced_search`. Names are near
 * if one has all words of the other, because `reply_to` may stand for `reply_to_tweet_id`.
 */
function distanceOf(typed: string, name: string): number {
  if (typed.length > 64) return 1;
  const [group = '', last = typed] = typed.split('/');
  const words = [name.slice(name.lastIndexOf('/') + 1), ...name.split(/[/_]/)];
  const typedWords = typed.split('_');
  const isPart =
    typedWords.every((word) => words.includes(word)) || name.split('_').every((word) => typedWords.includes(word));
  const isOtherGroup = last !== typed && !name.startsWith(`${group}/`);
  const ofWords = words.map((word) => editsBetween(last, word) / last.length + (isOtherGroup ? 0.2 : 0.1));
  const ofPart = isPart && typedWords.length > 1 ? 0.15 : 1;
  return Math.min(editsBetween(typed, name) / typed.length, ofPart, ...ofWords);
}

/** Returns the number of inserted, deleted and replaced characters, and of swapped neighbours (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    const above = rows[i - 1] as number[];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j] as number, ((rows[i - 2] as number[])[j - 2] as number) + 1);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
