const maxLength = 64;
const oneEmoji = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic})$/v;

/**
 * Returns the fully qualified form of an emoji (UTS #51), whether or not the text has U+FE0F. Returns null if the text
 * is not one emoji. A pictograph that is no emoji is returned without U+FE0F.
 */
export function emojiOf(text: string): string | null {
  if (text.length > maxLength) return null;
  const qualified = text
    .replaceAll('\ufe0f', '')
    .replace(/(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu, '$&\ufe0f');
  return oneEmoji.test(qualified) ? qualified : null;
}

/** The segmenter needs more than linear time, so it gets windows of this many UTF-16 units. */
const windowLength = 1_000;
/** Created on first use, because it loads data for some milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Yields the graphemes of a text. Each is whole unless it is longer than a window. */
export function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let from = 0; from < text.length; ) {
    // A high surrogate at the end of a window would be a grapheme of its own.
    const isCut = (text.codePointAt(from + windowLength - 1) ?? 0) > 0xffff;
    const window = text.slice(from, from + windowLength + (isCut ? 1 : 0));
    const graphemes = Array.from(segmenter.segment(window), ({ segment }) => segment);
    // The last grapheme may continue in the next window, which therefore starts with it.
    const isLast = from + window.length === text.length;
    const whole = isLast || graphemes.length === 1 ? graphemes : graphemes.slice(0, -1);
    yield* whole;
    from += whole.reduce((length, { length: own }) => length + own, 0);
  }
}
