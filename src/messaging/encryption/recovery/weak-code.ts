const shortest = 4;
const longest = 64;

/** How codes are written before anything is made of them, so that the same digits from two keyboards are the same code. */
export function normalCode(code: string): string {
  return code.normalize('NFKC');
}

/**
 * Why a code may not protect chat keys, or null. Twenty guesses are allowed, so what matters is that it is not among those
 * that anybody would try first; those of 4 digits that people choose most are runs, repetitions, years and dates.
 */
export function weakness(code: string): string | null {
  const normal = normalCode(code);
  if (normal.length < shortest) return `needs ${shortest} characters or more`;
  if (normal.length > longest) return `may have ${longest} characters at most`;
  if (new Set(normal).size < Math.min(4, normal.length - 1)) return 'has too few different characters';
  if (isRun(normal)) return 'is a run such as 1234 or abcd';
  if (isRepeated(normal)) return 'repeats itself';
  if (isDate(normal)) return 'looks like a date';
  return null;
}

/** Neighbours on the keyboard's row of digits, or in the alphabet, one way or the other. */
function isRun(code: string): boolean {
  if ('01234567890123456789'.includes(code) || '98765432109876543210'.includes(code)) return true;
  const letters = code.toLowerCase();
  const steps = new Set(
    Array.from(letters.slice(1), (_, index) => letters.charCodeAt(index + 1) - letters.charCodeAt(index)),
  );
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

/** 1212, 123123, abcabcabc. */
function isRepeated(code: string): boolean {
  return (code + code).indexOf(code, 1) < code.length;
}

/** A year of the last or of this century first, or a whole date with one. */
function isDate(code: string): boolean {
  return /^(?:19|20)\d\d\d*$/.test(code) || /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d$/.test(code);
}
