import { emojiOf, graphemesOf } from '../../shared/text/emoji.ts';
import { findLinks } from '../../shared/text/links.ts';
import { Refusal } from '../refusal.ts';
import type { User } from './types.ts';

/**
 * Weights of twitter-text v3 (config/v3.json): characters in these ranges weigh 1, other characters 2, and a URL 23.
 */
const LIGHT_RANGES = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;
const URL_WEIGHT = 23;

/**
 * A quick check before `emojiOf`. In a process that has compiled many regular expressions, V8 does not optimise further
 * ones, and `emojiOf` needs 0.1 ms.
 */
const maybeEmoji = /^\p{Emoji}.*(?:\ufe0f|\u200d|\u20e3|\u{e007f}|\p{Emoji_Modifier}|\p{RI})/su;

/** Returns the weighted length of a text, which the limit of 280 applies to. */
export function weightedLength(raw: string): number {
  const text = raw.normalize('NFC');
  let length = 0;
  let from = 0;
  for (const { start, end } of findLinks(text)) {
    length += plainWeight(text.slice(from, start)) + URL_WEIGHT;
    from = end;
  }
  return length + plainWeight(text.slice(from));
}

function plainWeight(text: string): number {
  if (/^[ -~\n\t]*$/.test(text)) return text.length;
  let length = 0;
  for (const grapheme of graphemesOf(text)) {
    if (maybeEmoji.test(grapheme) && emojiOf(grapheme) !== null) length += 2;
    else for (const character of grapheme) length += weightOf(character.codePointAt(0) ?? 0);
  }
  return length;
}

function weightOf(codePoint: number): number {
  for (const [low, high] of LIGHT_RANGES) if (codePoint >= low && codePoint <= high) return 1;
  return 2;
}

const LIMIT = 280;
const PREMIUM_LIMIT = 25_000;
/** Longer texts are not counted exactly, because they exceed every limit and counting would block the event loop. */
const MAX_COUNTED_LENGTH = 200_000;

/** Throws if the text is too long for the author, or if it is empty and the tweet has no media. */
export function checkText(text: string, { premium }: Pick<User, 'premium'>, hasMedia = false): void {
  if (text === '' && !hasMedia)
    throw new Refusal('text_empty', 'A tweet without media must have text', { field: 'text' });
  const limit = premium ? PREMIUM_LIMIT : LIMIT;
  const length = text.length > MAX_COUNTED_LENGTH ? text.length : weightedLength(text);
  if (length <= limit) return;
  throw new Refusal('text_too_long', `The text is ${length} long; ${limit} are allowed`, {
    field: 'text',
    length,
    limit,
  });
}
