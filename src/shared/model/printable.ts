/**
 * Escapes control characters, line separators and characters that change the text direction, because texts of a platform or a proxy may
 * contain terminal escape sequences.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${hex}}`;
  });
}
