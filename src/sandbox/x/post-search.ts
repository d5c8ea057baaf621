import { snowflake } from '../dataset/snowflake.ts';
import type { XOperation } from '../http/operation.ts';
import { badRequest } from '../refusal.ts';
import { BadQuery, onlyRestricts, parseQuery, type Query, UnknownOperator } from '../search/parse.ts';
import { bestFirst, newestMatches } from '../search/search.ts';
import { range } from './read.ts';
import { inRange, timeParameter } from './request.ts';
import { postList } from './timelines.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

interface Reach {
  /** The greatest `max_results`. */
  readonly most: number;
  /** The maximum length of a query without the extensions. */
  readonly longest: number;
  /** True if the search reaches back seven days only. */
  readonly isRecent: boolean;
}

function postSearch(id: string, path: string, { most, longest, isRecent }: Reach): XOperation {
  return postList(id, path, {
    query: [...range, 'query', 'sort_order', 'next_token'],
    sizes: [10, most, 10],
    from({ dataset, query, viewer, selection: { extended }, state }) {
      const text = query.get('query') ?? '';
      const parsed = parseSearch(text, extended ? 4_096 : longest, extended);
      const order = query.get('sort_order') ?? 'recency';
      if (order !== 'recency' && order !== 'relevancy') throw badRequest('sort_order', 'is not recency or relevancy');
      checkTimes(query, state.now(), isRecent);
      const oldest = isRecent ? snowflake(state.now() - WEEK_MS, 0) : '0';
      const newest = inRange(query, (below) => newestMatches(dataset, parsed, viewer, below), oldest);
      const best = (position: string | undefined) => bestFirst(dataset, newest(undefined), position);
      return { key: `${order} ${text}`, after: order === 'recency' ? newest : best };
    },
  });
}

/** The searches of posts: https://docs.x.com/x-api/posts/search/introduction */
export const searchOperations: readonly XOperation[] = [
  postSearch('searchPostsRecent', '/2/tweets/search/recent', { most: 100, longest: 512, isRecent: true }),
  postSearch('searchPostsAll', '/2/tweets/search/all', { most: 500, longest: 1_024, isRecent: false }),
];

function parseSearch(text: string, longest: number, mayOnlyRestrict: boolean): Query {
  if (text.length > longest)
    throw badRequest('query', `The query is ${text.length} characters long; ${longest} are allowed`);
  try {
    const query = parseQuery(text);
    if (query === undefined) throw badRequest('query', 'holds nothing to search for');
    if (mayOnlyRestrict || !onlyRestricts(query)) return query;
  } catch (error) {
    if (error instanceof BadQuery || error instanceof UnknownOperator) throw badRequest('query', error.message);
    throw error;
  }
  throw badRequest(
    'query',
    'The query needs an operator that can stand alone: lang:, has:, is: and negations only restrict others',
  );
}

/** Refuses the times that X refuses in searches. */
function checkTimes(query: URLSearchParams, now: number, isRecent: boolean): void {
  const start = timeParameter(query, 'start_time');
  const end = timeParameter(query, 'end_time');
  if (end !== undefined && end > now - 10_000) throw badRequest('end_time', 'end_time must be at least 10 seconds ago');
  if (start !== undefined && start >= (end ?? now))
    throw badRequest('start_time', 'start_time must be before end_time and now');
  const oldest = Math.min(start ?? now, end ?? now);
  if (isRecent && oldest < now - WEEK_MS)
    throw badRequest(start === undefined ? 'end_time' : 'start_time', 'recent search reaches back seven days');
}
