import { findUrls } from './tweet-text.ts';
import type { Indices, TweetEntities, User } from './types.ts';

const HASHTAG = /(?<![\p{L}\p{M}\p{N}_&])[#＃]([\p{L}\p{M}\p{N}_]*[\p{L}\p{M}][\p{L}\p{M}\p{N}_]*)/gu;
const CASHTAG = /(?<![^\s(])\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![A-Za-z0-9_])/gu;
const MENTION = /(?<![A-Za-z0-9_!#$%&*@＠])[@＠]([A-Za-z0-9_]{1,15})(?![A-Za-z0-9_@])/gu;

/** `1:05` or `1:02:33`. */
const TIMESTAMP = /(?<![\d:.])(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)(?![\d:])/g;

const ANY_SIGN = /[#＃$@＠]|\.\S/u;
const NOTHING: TweetEntities = { hashtags: [], symbols: [], timestamps: [], urls: [], mentions: [] };

/**
 * What a text names. Indices count code points, as the platform's clients expect. Only existing users are mentions, and only
 * times within a video of `videoMs` are timestamps.
 */
export function extractEntities(
  text: string,
  userNamed: (screenName: string) => User | undefined,
  videoMs = 0,
): TweetEntities {
  // Most texts name nothing: they share one answer.
  if (videoMs === 0 && !ANY_SIGN.test(text)) return NOTHING;
  const urls = findUrls(text);
  const inUrl = (index: number) => urls.some((url) => index >= url.start && index < url.end);
  const matches = (pattern: RegExp) => [...text.matchAll(pattern)].filter((match) => !inUrl(match.index));
  const points = codePointCounter(text);
  const span = (start: number, length: number): Indices => [points(start), points(start + length)];

  const mentions: { user: User; indices: Indices }[] = [];
  for (const match of matches(MENTION)) {
    const user = userNamed(match[1] ?? '');
    if (user !== undefined) mentions.push({ user, indices: span(match.index, match[0].length) });
  }
  const timestamps = videoMs === 0 ? [] : matches(TIMESTAMP).filter((match) => secondsOf(match) * 1_000 <= videoMs);
  return {
    hashtags: matches(HASHTAG).map((match) => ({
      text: match[1] ?? '',
      indices: span(match.index, match[0].length),
    })),
    symbols: matches(CASHTAG).map((match) => ({ text: match[1] ?? '', indices: span(match.index, match[0].length) })),
    timestamps: timestamps.map((match) => ({ text: match[0], indices: span(match.index, match[0].length) })),
    urls: urls.map(({ url, start }) => ({
      url,
      expanded_url: /^https?:/i.test(url) ? url : `http://${url}`,
      display_url: displayed(url),
      indices: span(start, url.length),
    })),
    mentions,
  };
}

function secondsOf([, hours, minutes, seconds]: RegExpExecArray | RegExpMatchArray): number {
  return Number(hours ?? 0) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

function displayed(url: string): string {
  const short = url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
  return short.length > 30 ? `${short.slice(0, 29)}…` : short;
}

function codePointCounter(text: string): (index: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (index) => index;
  // A table, since a long text can have thousands of tags to place.
  const points = new Uint32Array(text.length + 1);
  let count = 0;
  for (let index = 0; index < text.length; count++) {
    const width = (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
    index += width;
    points[index] = count + 1;
  }
  return (index) => points[index] ?? 0;
}
