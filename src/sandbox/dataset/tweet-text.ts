import { Problem } from '../http/problem.ts';
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

/** Matches an http(s) URL, or a host name without a scheme under one of the common top-level domains. */
const URL_PATTERN =
  /(?<![\p{L}\p{N}_@#$./-])(?:https?:\/\/(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?![\p{L}\p{N}])(?::\d+)?(?:[/?#][^\s<>"]*)?|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|app|co|edu|gov|info|me|tv|uk|de|fr|jp|eu|example)(?![\p{L}\p{N}.-])(?:\/[^\s<>"]*)?)/giu;

export interface FoundUrl {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

export function findUrls(text: string): FoundUrl[] {
  if (!/\.\S/.test(text)) return [];
  const found: FoundUrl[] = [];
  for (const match of text.matchAll(URL_PATTERN)) {
    const url = withoutTrailingPunctuation(match[0]);
    found.push({ url, start: match.index, end: match.index + url.length });
  }
  return found;
}

/** Removes trailing punctuation, and a closing bracket that has no opening bracket in the URL. */
function withoutTrailingPunctuation(url: string): string {
  const opens = url.includes('(');
  let end = url.length;
  while (end > 0 && (TRAILING_PUNCTUATION.includes(url.charAt(end - 1)) || (!opens && url[end - 1] === ')'))) end--;
  return url.slice(0, end);
}

const TRAILING_PUNCTUATION = `.,;:!?'"…’”»」`;

// A regular expression literal with the `v` flag is refused by the TypeScript target, but every supported version of
// Node has it.
const UNICODE_SETS: string = 'v';
const EMOJI = new RegExp('^\\p{RGI_Emoji}$', UNICODE_SETS);
/**
 * A quick check before `EMOJI`. It matches every emoji and few other graphemes. In a process that has compiled many regular expressions, V8
 * does not optimise further ones. `EMOJI` then needs 0.15 ms to reject a grapheme.
 */
const MAYBE_EMOJI = /^(?=\p{Emoji}).*(?:\p{Emoji_Presentation}|\ufe0f)/su;
/** Created on first use, because it loads data for some milliseconds. */
let graphemes: Intl.Segmenter | undefined;
const WINDOW = 1_000;

/** Returns the weighted length of a text, which the limit of 280 applies to. */
export function weightedLength(raw: string): number {
  const text = raw.normalize('NFC');
  let length = 0;
  let from = 0;
  for (const { start, end } of findUrls(text)) {
    length += plainWeight(text.slice(from, start)) + URL_WEIGHT;
    from = end;
  }
  return length + plainWeight(text.slice(from));
}

function plainWeight(text: string): number {
  if (/^[ -~\n\t]*$/.test(text)) return text.length;
  let length = 0;
  for (const grapheme of graphemesOf(text)) {
    if (MAYBE_EMOJI.test(grapheme) && EMOJI.test(grapheme)) length += 2;
    else for (const character of grapheme) length += weightOf(character.codePointAt(0) ?? 0);
  }
  return length;
}

/**
 * Yields the graphemes of a text in windows, because the time of `Intl.Segmenter` grows faster than the length of its
 * input. The last grapheme of a window may continue in the next one, so the next window starts with that grapheme.
 */
function* graphemesOf(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let from = 0; from < text.length; ) {
    const window = text.slice(from, from + WINDOW);
    const segments = [...graphemes.segment(window)].map(({ segment }) => segment);
    const isLast = from + window.length === text.length;
    const whole = isLast || segments.length === 1 ? segments : segments.slice(0, -1);
    yield* whole;
    from += whole.reduce((length, { length: own }) => length + own, 0);
  }
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
    throw new Problem(400, 'text_empty', 'A tweet without media must have text', { field: 'text' });
  const limit = premium ? PREMIUM_LIMIT : LIMIT;
  const length = text.length > MAX_COUNTED_LENGTH ? text.length : weightedLength(text);
  if (length <= limit) return;
  throw new Problem(400, 'text_too_long', `The text is ${length} long; ${limit} are allowed`, {
    field: 'text',
    length,
    limit,
  });
}
