const WORD = /[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*/gu;
const ASCII = /^[\t\n\r -~]*$/;
const ASCII_WORD = /[a-z0-9_]+(?:'[a-z0-9_]+)*/g;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Returns the normalized words of a text. Scripts that do not separate words by spaces are split into single
 * characters.
 */
export function termsOf(text: string): string[] {
  // A faster path for ASCII text, which is most of the dataset.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const terms: string[] = [];
  for (const [match] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const word = match.replaceAll('’', "'");
    if (UNSPACED.test(word)) terms.push(...word);
    else terms.push(word);
  }
  return terms;
}

/** Joins words with single spaces, including one at each end, so that a phrase can be found as a substring. */
export function joinTerms(terms: readonly string[]): string {
  return ` ${terms.join(' ')} `;
}
