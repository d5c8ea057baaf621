import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada, graphql } = await useService();
const [, grace] = service.demo.accounts;

type Page = Record<string, unknown> & { next_cursor: string | null };

/** Reads a list to its end. */
async function all(path: string, items: string, query: Record<string, string>): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await ada.get(path, { ...query, ...(cursor !== '' && { cursor }) });
    expect(status, body.error ?? '').toBe(200);
    const page = body.data as Page;
    found.push(...(page[items] as Record<string, unknown>[]));
    cursor = page.next_cursor;
  }
  return found;
}

test('user/likes: lists as many tweets as the profile counts, each of which has the user among its likers', async () => {
  const { favouritesCount } = (await ada.get('/user/info', { userName: 'grace' })).body.data;
  const tweets = await all('/user/likes', 'tweets', { userName: 'grace', count: '7' });
  expect(tweets.length).toBe(favouritesCount);
  expect(await all('/user/likes', 'tweets', { userId: grace.userId, count: '100' })).toEqual(tweets);
  const [{ id = '', likeCount } = {}] = tweets;
  const likers = await all('/tweet/likers', 'users', { tweet_id: String(id), count: '3' });
  expect(likers.length).toBe(likeCount);
  expect(likers.map((user) => user['userName'])).toContain('grace');
});

test('likes appear first, and disappear when they are taken back', async () => {
  const tweet_id = String((await ada.post('/tweet/create', { text: 'Like this' })).body.data['id']);
  const minted = await sandbox.mint();
  for (const client of [ada, ada.with({ authToken: minted.authToken })])
    await client.post('/tweet/favorite', { tweet_id });
  const query = `{ tweet(tweetId: "${tweet_id}") { likers(first: 5) { nodes { userName } } }
    viewer { likes(first: 1) { nodes { tweetId } } } }`;
  const { data } = await graphql.ask(query);
  expect(data.tweet.likers.nodes).toEqual([{ userName: minted.userName }, { userName: 'ada' }]);
  expect(data.viewer.likes.nodes).toEqual([{ tweetId: tweet_id }]);
  await ada.post('/tweet/unlike', { tweet_id });
  expect((await graphql.ask(query)).data.tweet.likers.nodes).toEqual([{ userName: minted.userName }]);
});

test('an unknown tweet or user is refused with 404, and a missing one with 400', async () => {
  expectRefusal(await ada.get('/tweet/likers', { tweet_id: '1' }), 404, 'Tweet not found: 1');
  expectRefusal(await ada.get('/tweet/likers', {}), 400, 'Missing required field: tweet_id');
  expectRefusal(await ada.get('/user/likes', { userName: 'nobody_here' }), 404, 'User not found: nobody_here');
  expectRefusal(await ada.get('/user/likes', {}), 400, 'Missing required field: userName or userId');
});
