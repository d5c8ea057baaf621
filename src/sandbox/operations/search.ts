import { tweetsJson } from '../dataset/render.ts';
import { jsonResponse, ref } from '../http/contract.ts';
import { pageSize } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { BadQuery, parseQuery, type Query, UnknownOperator } from '../search/parse.ts';
import { type Product, type SearchPosition, search } from '../search/search.ts';

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
  handle({ platform, query, actor }: ActorCall): SandboxResponse {
    const text = (query.get('q') ?? '').trim();
    const parsed = parse(text);
    const product = productOf(query.get('product'));
    const count = pageSize(query);
    const scope = ['search', actor.id, product, text];
    const cursor = query.get('cursor');
    const after = cursor === null ? undefined : positionOf(platform.cursors.open(scope, cursor));

    const { dataset } = platform;
    const page = search(dataset, parsed, product, actor, count, after);
    const next = page.next && platform.cursors.seal(scope, [page.next.snapshotId, `${page.next.score}`, page.next.id]);
    return jsonText(
      `{"tweets":${tweetsJson(dataset, page.tweets, actor)},"next_cursor":${next === undefined ? 'null' : `"${next}"`}}`,
    );
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

function productOf(text: string | null): Product {
  if (text === null || text === 'latest') return 'latest';
  if (text === 'top') return 'top';
  throw badRequest('product', 'product must be latest or top');
}

function positionOf(parts: string[] | undefined): SearchPosition {
  const [snapshotId, score, id] = parts ?? [];
  if (snapshotId === undefined || score === undefined || id === undefined) {
    throw new Problem(400, 'bad_cursor', 'The cursor does not belong to this list');
  }
  return { snapshotId, score: Number(score), id };
}
