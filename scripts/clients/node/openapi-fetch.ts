import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-fetch.d.ts';
import { actor, apiKey, baseUrl, runScenario } from './scenario.ts';

const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${apiKey}`, 'x-auth-token': actor },
});

function dataOf<T>({ data, error }: { data?: { data: T }; error?: { error: string } }): T {
  if (!data) throw new Error(error?.error ?? 'no answer');
  return data.data;
}

await runScenario(
  {
    async search(q, cursor) {
      const query = { q, count: 5, ...(cursor !== undefined && { cursor }) };
      const { tweets, next_cursor } = dataOf(await client.GET('/tweet/advanced_search', { params: { query } }));
      return { tweets, nextCursor: next_cursor };
    },
    async quote(text, quote_tweet_url) {
      return dataOf(await client.POST('/tweet/create', { body: { text, quote_tweet_url } })).id;
    },
    async quoteOf(tweet_id) {
      return dataOf(await client.GET('/tweet/detail', { params: { query: { tweet_id } } })).quoted_tweet?.id;
    },
    async follow(username) {
      const { userName, following } = dataOf(await client.POST('/user/follow', { body: { username } }));
      return { userName, following };
    },
    async missingTweet() {
      const { response } = await client.GET('/tweet/detail', { params: { query: { tweet_id: '1' } } });
      return { status: response.status, code: response.headers.get('x-error-code') };
    },
  },
  'Quoted by openapi-fetch',
);
