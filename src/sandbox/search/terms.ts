const WORD = /[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*/gu;
const ASCII = /^[\t\n\r -~]*$/;
const ASCII_WORD = /[a-z0-9_]+(?:'[a-z0-9_]+)*/g;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The words of a text as search compares them. Scripts that do not space their words are taken sign by sign. */
export function termsOf(text: string): string[] {
  // Most of the dataset's texts, for half of the work.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const terms: string[] = [];
  for (const [match] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const word = match.replaceAll('’', "'");
    if (UNSPACED.test(word)) terms.push(...word);
    else terms.push(word);
  }
  return terms;
}

/** Words between single spaces, so that a phrase is found as a substring. */
export function joined(terms: readonly string[]): string {
  return ` ${terms.join(' ')} `;
}

const SIGN = /[^\p{L}\p{M}\p{N}\p{Z}\p{C}!-\u00ff\u2000-\u206f]/gu;

/** The signs of a text that are neither part of words nor everyday punctuation, such as emoji. */
export function signsOf(text: string): string[] {
  return text.match(SIGN) ?? [];
}
