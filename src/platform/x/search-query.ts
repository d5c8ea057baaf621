import { malformedField } from '../../shared/errors/fields.ts';
import { parseSearch, type SearchTree } from '../../shared/text/search-grammar.ts';

/** A query in X's language, and the time range that X takes as parameters. */
export interface XQuery {
  query: string;
  /** Milliseconds since the Unix epoch; inclusive. */
  startMs: number | null;
  /** Exclusive. */
  endMs: number | null;
  /** False if the query only restricts other queries, which X refuses. */
  standsAlone: boolean;
}

/** `filter:` by the operator of X: https://docs.x.com/x-api/posts/search/integrate/operators */
const filters: Readonly<Record<string, string>> = {
  media: 'has:media',
  images: 'has:images',
  videos: 'has:video_link',
  native_video: 'has:video_link',
  links: 'has:links',
  hashtags: 'has:hashtags',
  replies: 'is:reply',
  quote: 'is:quote',
  retweets: 'is:retweet',
  verified: 'is:verified',
};
const has = ['hashtags', 'cashtags', 'links', 'mentions', 'media', 'images', 'video_link', 'geo'];
const is = ['reply', 'quote', 'retweet', 'verified'];
const minima: Readonly<Record<string, string>> = {
  min_faves: 'min_likes',
  min_likes: 'min_likes',
  min_retweets: 'min_reposts',
  min_reposts: 'min_reposts',
  min_replies: 'min_replies',
};

type Leaf =
  | { readonly kind: 'leaf'; readonly text: string; readonly standsAlone: boolean }
  | { readonly kind: 'time'; readonly name: string; readonly startMs: number | null; readonly endMs: number | null };
type Node = SearchTree<Leaf>;

/**
 * Translates a search (docs/rest.md, Tweets). Syntax errors such as an unmatched quote or parenthesis are ignored. Throws `bad_input` for
 * an unknown operator, a value that an operator does not take, and a time inside `OR` or behind `-`.
 */
export function translateQuery(q: string): XQuery {
  const node = parseSearch(q, { wordOf, phraseOf: quoted });
  if (!node)
    throw malformedField('q', 'holds nothing to search for: give a word, a "phrase" or an operator such as from:ada');
  const parts = conjuncts(node);
  const starts = parts.flatMap((part) => (part.kind === 'time' && part.startMs !== null ? [part.startMs] : []));
  const ends = parts.flatMap((part) => (part.kind === 'time' && part.endMs !== null ? [part.endMs] : []));
  const rest = parts.filter(({ kind }) => kind !== 'time');
  return {
    query: rest.map((part) => write(part, false, rest.length > 1)).join(' '),
    startMs: starts.length > 0 ? Math.max(...starts) : null,
    endMs: ends.length > 0 ? Math.min(...ends) : null,
    standsAlone: rest.some(standsAlone),
  };
}

function conjuncts(node: Node): readonly Node[] {
  return node.kind === 'and' ? node.parts.flatMap(conjuncts) : [node];
}

function standsAlone(node: Node): boolean {
  if (node.kind === 'and') return node.parts.some(standsAlone);
  if (node.kind === 'or') return node.parts.every(standsAlone);
  return node.kind === 'leaf' && node.standsAlone;
}

/** Writes a part. X has no negated groups, so `-(a OR b)` becomes `-a -b`. */
function write(node: Node, negated: boolean, inGroup: boolean): string {
  switch (node.kind) {
    case 'leaf':
      return negated ? `-${node.text}` : node.text;
    case 'time':
      throw malformedField('q', `${node.name}: cannot be negated or be part of OR on this platform`);
    case 'not':
      return write(node.part, !negated, inGroup);
    default: {
      const isOr = (node.kind === 'or') !== negated;
      const text = node.parts.map((part) => write(part, negated, true)).join(isOr ? ' OR ' : ' ');
      return inGroup ? `(${text})` : text;
    }
  }
}

const leaf = (text: string, standsAlone = true): Leaf => ({ kind: 'leaf', text, standsAlone });
const quoted = (phrase: string) => leaf(`"${phrase.replaceAll('"', '')}"`);

function wordOf(word: string): Leaf {
  const [, name = '', value = ''] = /^([a-z][a-z_]*):(.*)$/is.exec(word) ?? [];
  if (/^https?$/i.test(name) && value.startsWith('//')) return leaf(`url:"${word.replaceAll('"', '')}"`);
  if (name !== '') return operatorOf(name.toLowerCase(), value);
  if (/^[#＃]./u.test(word)) return leaf(`#${word.slice(1)}`);
  if (/^[@＠]\w/u.test(word)) return leaf(`@${word.slice(1)}`);
  if (/^\$[a-z]+$/i.test(word)) return leaf(word);
  // In quotes, X reads punctuation and words such as `or` as they are.
  return /^[\p{L}\p{M}\p{N}_']+$/u.test(word) && !/^(?:or|and)$/i.test(word) ? leaf(word) : quoted(word);
}

function operatorOf(name: string, value: string): Leaf {
  const minimum = minima[name];
  if (minimum !== undefined) return leaf(`${minimum}:${checked(name, value, /^\d{1,9}$/, 'a whole number')}`);
  switch (name) {
    case 'from':
    case 'to':
      return leaf(`${name}:${checked(name, value.replace(/^@/, ''), /^\w{1,15}$/, 'a screen name')}`);
    case 'conversation_id':
    case 'in_reply_to_tweet_id':
    case 'list':
      return leaf(`${name}:${checked(name, value, /^\d{1,19}$/, 'an id')}`);
    case 'url':
      return leaf(`url:"${checked(name, value.replaceAll('"', ''), /./, 'an address')}"`);
    case 'lang':
      return leaf(`lang:${checked(name, value, /^[a-z]{2,3}(?:-[a-z]{2,4})?$/i, 'a language code such as en')}`, false);
    case 'filter':
      return leaf(filters[value.toLowerCase()] ?? unknown(name, value), false);
    case 'has':
    case 'is': {
      const known = name === 'has' ? has : is;
      return leaf(known.includes(value.toLowerCase()) ? `${name}:${value.toLowerCase()}` : unknown(name, value), false);
    }
    case 'since':
    case 'until':
    case 'since_time':
    case 'until_time': {
      const atMs = name.endsWith('_time')
        ? Number(checked(name, value, /^\d{1,10}$/, 'seconds since 1970')) * 1_000
        : dayOf(name, value);
      return name.startsWith('since')
        ? { kind: 'time', name, startMs: atMs, endMs: null }
        : { kind: 'time', name, startMs: null, endMs: atMs };
    }
    default:
      // A colon at the end of a word, as in `Note:`, is punctuation.
      return value === '' ? leaf(name) : unknown(name);
  }
}

function unknown(name: string, value?: string): never {
  const operator = value === undefined ? name : `${name}:${value}`;
  throw malformedField('q', `unknown search operator: ${operator.slice(0, 100)}`);
}

function checked(name: string, value: string, pattern: RegExp, expected: string): string {
  if (!pattern.test(value)) throw malformedField('q', `${name}: needs ${expected}`);
  return value;
}

/** Returns midnight UTC of a day that exists in the calendar. */
function dayOf(name: string, value: string): number {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(`${value}T00:00:00.000Z`) : Number.NaN;
  if (Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(value))
    throw malformedField('q', `${name}: needs a day as YYYY-MM-DD`);
  return atMs;
}

const dayMs = 86_400_000;
/** X's recent search reaches back seven days. */
export const recentMs = 7 * dayMs;
/** X's archive begins here. Without a start, X searches only its last 30 days. */
export const firstPostMs = Date.parse('2006-03-26T00:00:00.000Z');
const maxRecentQuery = 512;
const maxAllQuery = 1_024;

/** The operation and the parameters of a search at X. `isEmpty`: no post can match. */
export interface SearchPlan {
  query: string;
  all: boolean;
  startMs: number | null;
  endMs: number | null;
  isEmpty: boolean;
}

/** Returns the earliest start that X's recent search accepts, with a minute for the way of the request. */
export function earliestRecent(now: number): number {
  return now - recentMs + 60_000;
}

/**
 * Plans a search. Throws `bad_input` for one that X would refuse. With `extensions`, every query reaches back to the
 * first post. `isContinued`: a cursor has the time range, which was checked with the first page.
 */
export function planSearch(
  q: string,
  now: number,
  {
    extensions,
    hasAppToken,
    isContinued = false,
  }: { extensions: boolean; hasAppToken: boolean; isContinued?: boolean },
): SearchPlan {
  const { query, startMs: start, endMs: end, standsAlone: alone } = translateQuery(q);
  // X refuses an end that is not at least 10 seconds in the past.
  const endMs = end !== null && end > now - 10_000 ? null : end;
  const isEmptyFrom = (from: number | null) => from !== null && from >= (end ?? now);
  // A query of times only: every post has at least no likes.
  if (extensions)
    return { query: query || 'min_likes:0', all: true, startMs: start, endMs, isEmpty: isEmptyFrom(start) };
  if (!alone)
    throw malformedField(
      'q',
      'needs a word, a "phrase", from: or another operator that finds tweets; since:, until:, lang:, has:, is: and filter: only restrict',
    );
  const oldest = now - recentMs;
  const isOld = (start !== null && start < oldest - (oldest % dayMs)) || (endMs !== null && endMs <= oldest);
  if (isOld && !hasAppToken && !isContinued)
    throw malformedField('q', 'since: and until: reach back at most seven days on this platform');
  const max = isOld ? maxAllQuery : maxRecentQuery;
  if (query.length > max)
    throw malformedField('q', `has ${query.length} characters in the language of the platform, which takes ${max}`);
  const recentStart = start === null ? null : Math.max(start, earliestRecent(now));
  const startMs = isOld ? Math.max(start ?? 0, firstPostMs) : recentStart;
  return { query, all: isOld, startMs, endMs, isEmpty: !isContinued && isEmptyFrom(startMs) };
}
