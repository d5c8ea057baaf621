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

/**
 * Escapes the characters of JSON that `printable` escapes. The result is JSON with the same meaning. `JSON.stringify` leaves characters such as
 * U+009B as they are, which some terminals take for the beginning of an escape sequence.
 */
export function printableJson(json: string): string {
  return json.replace(/[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
