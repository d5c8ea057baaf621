const minLength = 4;
const maxLength = 64;

/** Normalizes a PIN, so that the same digits from different keyboards give the same code. Other codes stay as typed. */
export function normalizeCode(code: string): string {
  const normal = code.normalize('NFKC');
  return /^\d+$/.test(normal) ? normal : code;
}

/**
 * Returns why a code is too weak to protect chat keys, or null if it is acceptable. An attacker has twenty guesses, so
 * codes that people try first are refused. The most common 4-digit codes are runs, repetitions, years and dates.
 */
export function weakness(code: string): string | null {
  const normal = normalizeCode(code);
  if (normal.length < minLength) return `needs ${minLength} characters or more`;
  if (normal.length > maxLength) return `may have ${maxLength} characters at most`;
  if (new Set(normal).size < Math.min(4, normal.length - 1)) return 'has too few different characters';
  if (isRun(normal)) return 'is a run such as 1234 or abcd';
  if (isRepeated(normal)) return 'repeats itself';
  if (isDate(normal)) return 'looks like a date';
  return null;
}

/** Returns true for runs such as 1234, 9876 or abcd. */
function isRun(code: string): boolean {
  if ('01234567890123456789'.includes(code) || '98765432109876543210'.includes(code)) return true;
  const letters = code.toLowerCase();
  const steps = new Set(
    Array.from(letters.slice(1), (_, index) => letters.charCodeAt(index + 1) - letters.charCodeAt(index)),
  );
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

/** Returns true for repetitions such as 1212, 123123 or abcabcabc. */
function isRepeated(code: string): boolean {
  return (code + code).indexOf(code, 1) < code.length;
}

/** Returns true for a code that starts with a year of the 20th or 21st century, and for a date that ends in one. */
function isDate(code: string): boolean {
  return /^(?:19|20)\d\d\d*$/.test(code) || /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d$/.test(code);
}
