import { tweetsJson } from '../dataset/render.ts';
import { jsonResponse, ref } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pageResponse, pagingOf, takePage } from '../http/paged.ts';
import { Problem } from '../http/problem.ts';
import { badRequest } from '../refusal.ts';
import { BadQuery, parseQuery, type Query, UnknownOperator } from '../search/parse.ts';
import { bestFirst, newestMatches } from '../search/search.ts';

const MAX_QUERY_LENGTH = 512;

export const searchTweets: ActorOperation = {
  id: 'search',
  method: 'GET',
  path: '/api/search',
  access: 'actor',
  contract: {
    summary: 'Searches the tweets that the actor may see.',
    description:
      'The query may contain words (all must match, case-insensitive), "exact phrases", `from:`, `to:`, `since:YYYY-MM-DD`, `until:YYYY-MM-DD` (exclusive; both UTC), `filter:` (media, images, videos, links, replies, quote, verified), `#tag`, `$symbol`, `@name`, `-` before any of these, `OR` (a space binds tighter) and brackets. `name:value` with another name is `unknown_operator` 400; `http://…` and `12:30` are words. A cursor is bound to q, product and actor; any other value is `bad_cursor` 400. Tweets that arrive between pages are left out and shift nothing. The last page has `next_cursor` null.',
    parameters: [
      {
        name: 'q',
        in: 'query',
        required: true,
        schema: { type: 'string', minLength: 1, maxLength: 512 },
        example: 'from:ada coffee',
      },
      {
        name: 'product',
        in: 'query',
        description: '`latest`: newest first. `top`: by likes, retweets and bookmarks in the seed.',
        schema: { enum: ['latest', 'top'], default: 'latest' },
      },
      'Count',
      'Cursor',
    ],
    responses: { 200: jsonResponse('A page.', ref('TweetPage')) },
  },
  handle(call) {
    const text = (call.query.get('q') ?? '').trim();
    const query = parse(text);
    const product = productOf(call.query.get('product'));
    const paging = pagingOf(call, `search ${product}`, text);
    const { dataset } = call.platform;
    const newest = (below: string | undefined) => newestMatches(dataset, query, call.actor, below);
    const found = product === 'top' ? bestFirst(dataset, newest(undefined), paging.after) : newest(paging.after);
    const page = takePage(found, paging.count, () => true);
    return pageResponse('', 'tweets', tweetsJson(dataset, page.items, call.actor), paging.seal(page.next));
  },
};

function parse(text: string): Query {
  if (text.length > MAX_QUERY_LENGTH) throw badRequest('q', `q is longer than ${MAX_QUERY_LENGTH} characters`);
  try {
    const query = parseQuery(text);
    if (query === undefined)
      throw badRequest('q', 'holds nothing to search for: give a word, a "phrase" or an operator such as from:ada');
    return query;
  } catch (error) {
    if (error instanceof BadQuery) throw badRequest('q', error.message);
    if (error instanceof UnknownOperator) {
      throw new Problem(400, 'unknown_operator', error.message, { operator: error.operator });
    }
    throw error;
  }
}

function productOf(text: string | null) {
  if (text === null || text === 'latest') return 'latest';
  if (text === 'top') return 'top';
  throw badRequest('product', 'product must be latest or top');
}
