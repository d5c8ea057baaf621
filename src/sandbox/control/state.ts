import { compareIds } from '../dataset/snowflake.ts';
import { optionalInteger, requiredInteger } from '../fields.ts';
import { control } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { demoOf } from '../seed/demo.ts';

export const controlInfo = control('controlInfo', 'GET', '/control/info', ({ platform }) =>
  json({
    seed: platform.seed,
    started_at: new Date(platform.startedAt).toISOString(),
    demo: demoOf(platform.dataset, platform.seed),
    counts: { users: platform.dataset.users.size, tweets: platform.dataset.tweets.length },
  }),
);

const DEFAULT_WINDOW_S = 900;

export const setRateLimit = control('setRateLimit', 'POST', '/control/rate-limit', ({ platform, body }) => {
  if (body['limit'] === null) {
    platform.rateLimit.set(null);
    return json({ limit: null, window_seconds: null });
  }
  const limit = requiredInteger(body, 'limit', 0, 1_000_000_000);
  const seconds = optionalInteger(body, 'window_seconds', 1, 86_400) ?? DEFAULT_WINDOW_S;
  platform.rateLimit.set({ limit, windowMs: seconds * 1000 });
  return json({ limit, window_seconds: seconds });
});

export const resetDataset = control('resetDataset', 'POST', '/control/reset', ({ platform }) => {
  platform.reset();
  return json({ reset: true });
});

export const controlStats = control('controlStats', 'GET', '/control/stats', ({ platform: { stats, longPolls } }) =>
  json({
    requests: stats.requests,
    tweets_created: stats.tweetsCreated,
    likes: stats.likes,
    waiting: longPolls.waiting,
    oauth: { ...stats.oauth, repeated_refresh_tokens: stats.repeatedRefreshTokens },
  }),
);

/** Lists every tweet created by a call, so that tests can compare the list with the writes that were acknowledged. */
export const createdTweets = control('createdTweets', 'GET', '/control/tweets', ({ platform: { dataset }, query }) => {
  const author = query.get('author');
  const since = query.get('since_id');
  if (since !== null && !/^\d{1,20}$/.test(since)) throw badRequest('since_id', 'since_id must be a tweet id');
  const tweets = dataset.created.filter(
    (tweet) => (author === null || tweet.author.id === author) && (since === null || compareIds(tweet.id, since) > 0),
  );
  return json({
    tweets: tweets.map((tweet) => ({
      id: tweet.id,
      author_id: tweet.author.id,
      text: tweet.text,
      created_at: new Date(tweet.createdAt).toISOString(),
      likes: tweet.likers.size,
      deleted: tweet.deleted,
    })),
  });
});
