import { findLinks, withoutLinks } from '../../shared/text/links.ts';
import type { Indices, TweetEntities, User } from './types.ts';

const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&])[#＃]([\p{L}\p{M}\p{N}_]*[\p{L}\p{M}][\p{L}\p{M}\p{N}_]*)/gu;
const CASHTAG = /(?<![^\s(])\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![A-Za-z0-9_])/gu;
const MENTION = /(?<![A-Za-z0-9_!#$%&*@＠])[@＠]([A-Za-z0-9_]{1,15})(?![A-Za-z0-9_@])/gu;

/** Matches `1:05` and `1:02:33`. */
const TIMESTAMP = /(?<![\d:.])(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)(?![\d:])/g;

const MAY_HAVE_ENTITIES = /[#＃$@＠]|\.\S/u;
const NO_ENTITIES: TweetEntities = { hashtags: [], symbols: [], timestamps: [], urls: [], mentions: [] };

/**
 * Finds the hashtags, cashtags, mentions, URLs and timestamps in a text. Indices count code points, as clients of the
 * platform expect. A mention must name an existing user. A timestamp must lie within a video of `videoMs` milliseconds.
 */
export function extractEntities(
  text: string,
  userNamed: (screenName: string) => User | undefined,
  videoMs = 0,
): TweetEntities {
  // Most texts have no entities, so they share one constant object.
  if (videoMs === 0 && !MAY_HAVE_ENTITIES.test(text)) return NO_ENTITIES;
  const links = findLinks(text);
  const rest = withoutLinks(text, links);
  /** A text without the sign is not searched, because these patterns are slow. */
  const matches = (pattern: RegExp, sign: RegExp) => (sign.test(rest) ? [...rest.matchAll(pattern)] : []);
  const points = codePointCounter(text);
  const span = (start: number, length: number): Indices => [points(start), points(start + length)];

  const mentions: { user: User; indices: Indices }[] = [];
  for (const match of matches(MENTION, /[@＠]/)) {
    const user = userNamed(match[1] ?? '');
    if (user !== undefined) mentions.push({ user, indices: span(match.index, match[0].length) });
  }
  const timestamps =
    videoMs === 0 ? [] : matches(TIMESTAMP, /:/).filter((match) => secondsOf(match) * 1_000 <= videoMs);
  return {
    hashtags: matches(HASHTAG, /[#＃]/).map((match) => ({
      text: match[1] ?? '',
      indices: span(match.index, match[0].length),
    })),
    symbols: matches(CASHTAG, /\$/).map((match) => ({
      text: match[1] ?? '',
      indices: span(match.index, match[0].length),
    })),
    timestamps: timestamps.map((match) => ({ text: match[0], indices: span(match.index, match[0].length) })),
    urls: links.map(({ link, start }) => ({
      url: link,
      expanded_url: /^https?:/i.test(link) ? link : `http://${link}`,
      display_url: displayUrl(link),
      indices: span(start, link.length),
    })),
    mentions,
  };
}

function secondsOf([, hours, minutes, seconds]: RegExpExecArray | RegExpMatchArray): number {
  return Number(hours ?? 0) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

function displayUrl(url: string): string {
  const short = url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
  return short.length > 30 ? `${short.slice(0, 29)}…` : short;
}

function codePointCounter(text: string): (index: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (index) => index;
  // A lookup table, because a long text can have thousands of tags.
  const points = new Uint32Array(text.length + 1);
  let count = 0;
  for (let index = 0; index < text.length; count++) {
    const width = (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
    index += width;
    points[index] = count + 1;
  }
  return (index) => points[index] ?? 0;
}
