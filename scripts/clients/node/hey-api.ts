import { client } from './generated/hey-api/client.gen';
import { tweetAdvancedSearch, tweetCreate, tweetDetail, userFollow } from './generated/hey-api/sdk.gen';
import { actor, apiKey, baseUrl, runScenario } from './scenario.ts';

client.setConfig({ baseUrl, headers: { authorization: `Bearer ${apiKey}`, 'x-auth-token': actor } });

await runScenario(
  {
    async search(q, cursor) {
      const { data } = await tweetAdvancedSearch({ query: { q, count: 5, cursor }, throwOnError: true });
      return { tweets: data.data.tweets, nextCursor: data.data.next_cursor };
    },
    async quote(text, quote_tweet_url) {
      const { data } = await tweetCreate({ body: { text, quote_tweet_url }, throwOnError: true });
      return data.data.id;
    },
    async quoteOf(tweet_id) {
      const { data } = await tweetDetail({ query: { tweet_id }, throwOnError: true });
      return data.data.quoted_tweet?.id;
    },
    async follow(username) {
      const { data } = await userFollow({ body: { username }, throwOnError: true });
      return { userName: data.data.userName, following: data.data.following };
    },
    async missingTweet() {
      const { response } = await tweetDetail({ query: { tweet_id: '1' } });
      return { status: response?.status ?? 0, code: response?.headers.get('x-error-code') ?? null };
    },
  },
  'Quoted by hey-api',
);
