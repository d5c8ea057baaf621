import { describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada, grace } = await useService({}, { dollars: '10' });

async function write(client: Client, text: string, more: Record<string, string> = {}): Promise<string> {
  const answer = await client.post('/tweet/create', { text, ...more });
  expect(answer.status, answer.body.error ?? '').toBe(200);
  return String(answer.body.data['id']);
}

const detail = async (client: Client, tweet_id: string) => (await client.get('/tweet/detail', { tweet_id })).body.data;

describe('actions on a tweet', () => {
  test.each([
    ['favorite', 'unlike', 'liked', 'unliked', 'likeCount'],
    ['bookmark', 'unbookmark', 'bookmarked', 'unbookmarked', 'bookmarkCount'],
    ['retweet', 'unretweet', 'retweeted', 'unretweeted', 'retweetCount'],
  ])('%s and %s can be repeated, and count once', async (on, off, done, undone, count) => {
    const tweet_id = await write(ada, `A tweet to ${on}`);
    for (const [path, state, expected] of [[on, done, 1] as const, [off, undone, 0] as const]) {
      for (let i = 0; i < 2; i++) {
        const { data } = (await grace.post(`/tweet/${path}`, { tweet_id })).body;
        expect(data).toEqual({ tweetId: tweet_id, [state]: true });
      }
      expect(await detail(grace, tweet_id)).toMatchObject({ [count]: expected });
    }
  });

  test('a deleted tweet is removed from search, is 404, and only its id is shown in quotes', async () => {
    const tweet_id = await write(ada, 'A tweet that will not last');
    const quoting = await write(grace, 'Look at this', { quote_tweet_id: tweet_id });
    expectRefusal(await grace.post('/tweet/delete', { tweet_id }), 403);
    expect((await ada.post('/tweet/delete', { tweet_id })).body.data).toEqual({ tweetId: tweet_id, deleted: true });
    expectRefusal(await ada.post('/tweet/delete', { tweet_id }), 404, `Tweet not found: ${tweet_id}`);
    expectRefusal(await ada.get('/tweet/detail', { tweet_id }), 404, `Tweet not found: ${tweet_id}`);
    expect((await ada.get('/tweet/advanced_search', { q: '"will not last"' })).body.data['tweets']).toEqual([]);
    expect(await detail(ada, quoting)).toMatchObject({ quoted_tweet: null, quoted_tweet_id: tweet_id });
  });

  test('replies come newest first', async () => {
    const tweet_id = await write(ada, 'What is a good name for a boat?');
    const first = await write(grace, 'Patience', { reply_to_tweet_id: tweet_id });
    const second = await write(grace, 'Persistence', { reply_to_tweet_id: tweet_id });
    const page = (await ada.get('/tweet/replies', { tweet_id })).body.data;
    expect(page).toMatchObject({ tweetId: tweet_id, tweet_count: 2, has_more: false, next_cursor: null });
    expect((page['tweets'] as { id: string }[]).map(({ id }) => id)).toEqual([second, first]);
  });

  test('quotes come newest first, and as many as the tweet counts', async () => {
    const tweet_id = await write(ada, 'Which boat is the fastest?');
    const first = await write(grace, 'Asked today', { quote_tweet_id: tweet_id });
    const second = await write(ada, 'Still asking', { quote_tweet_id: tweet_id });
    const page = (await ada.get('/tweet/quotes', { tweet_id })).body.data;
    expect(page).toMatchObject({ tweetId: tweet_id, tweet_count: 2, has_more: false, next_cursor: null });
    expect((page['tweets'] as { id: string }[]).map(({ id }) => id)).toEqual([second, first]);
    await grace.post('/tweet/delete', { tweet_id: first });
    expect((await ada.get('/tweet/quotes', { tweet_id })).body.data['tweet_count']).toBe(1);
    expect(await detail(ada, tweet_id)).toMatchObject({ quoteCount: 1 });
    expectRefusal(await ada.get('/tweet/quotes', { tweet_id: '1' }), 404, 'Tweet not found: 1');
  });
});

describe('following', () => {
  test('a follow of a protected user is a request, also if it is repeated, and can be withdrawn', async () => {
    const linus = service.demo.accounts[2];
    const state = { userId: linus.userId, userName: 'linus', protected: true, following: false };
    for (let i = 0; i < 2; i++) {
      const { data } = (await ada.post('/user/follow', { username: 'linus' })).body;
      expect(data).toMatchObject({ ...state, followRequestSent: true });
    }
    const undone = await ada.post('/user/unfollow', { user_id: linus.userId });
    expect(undone.body.data).toMatchObject({ ...state, followRequestSent: false });
    expectRefusal(await ada.get('/user/tweets_and_replies', { userName: 'linus' }), 403);
  });

  test('oneself is refused', async () => {
    for (const verb of ['follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute']) {
      expectRefusal(await ada.post(`/user/${verb}`, { username: 'ada' }), 400, /^Nobody can \w+ themselves$/);
    }
  });

  test('and unfollowing move the counts of both', async () => {
    const counts = async () => {
      const [me, she] = await Promise.all([ada.get('/user/me'), ada.get('/user/info', { userName: 'grace' })]);
      return [me.body.data['following'] as number, she.body.data['followers'] as number] as const;
    };
    const [following, followers] = await counts();
    expect((await ada.post('/user/unfollow', { username: '@grace' })).body.data).toMatchObject({ following: false });
    expect(await counts()).toEqual([following - 1, followers - 1]);
    expect((await ada.post('/user/follow', { username: 'grace' })).body.data).toMatchObject({ following: true });
    expect(await counts()).toEqual([following, followers]);
  });
});

describe('a user', () => {
  const { userId, userName } = service.demo.accounts[1];
  const whole = { userId, userName, name: expect.any(String) };
  const mentions = async () => (await ada.get('/user/mentions')).body.data['tweets'] as { id: string }[];

  test('who is blocked neither sees the actor nor is seen', async () => {
    const before = await write(grace, 'Hello @ada, before the block');
    for (let times = 0; times < 2; times += 1)
      expect((await ada.post('/user/block', { username: '@Grace' })).body.data).toEqual({ ...whole, blocking: true });
    expectRefusal(await ada.get('/tweet/detail', { tweet_id: before }), 403);
    expectRefusal(await grace.post('/user/follow', { username: 'ada' }), 403, /blocked/);
    expect((await mentions()).map(({ id }) => id)).not.toContain(before);
    for (let times = 0; times < 2; times += 1)
      expect((await ada.post('/user/unblock', { user_id: userId })).body.data).toEqual({ ...whole, blocking: false });
    expect(await detail(ada, before)).toMatchObject({ id: before });
    expect((await ada.post('/user/follow', { username: 'grace' })).body.data).toMatchObject({ following: true });
  });

  test('who is muted is followed as before, but is not in mentions', async () => {
    expect((await ada.post('/user/mute', { user_id: userId })).body.data).toEqual({ ...whole, muting: true });
    const tweetId = await write(grace, 'Hello @ada, during the mute');
    expect((await mentions()).map(({ id }) => id)).not.toContain(tweetId);
    expect(await detail(ada, tweetId)).toMatchObject({ id: tweetId });
    expect((await ada.post('/user/unmute', { username: 'grace' })).body.data).toEqual({ ...whole, muting: false });
    expect((await mentions()).map(({ id }) => id)).toContain(tweetId);
  });
});

test('user/me is the actor, and user_about has the origin of an account', async () => {
  expect((await grace.get('/user/me')).body.data).toMatchObject({ userName: 'grace' });
  expect((await ada.get('/user/user_about', { userName: '@grace' })).body.data).toMatchObject({
    userName: 'grace',
    isIdentityVerified: expect.any(Boolean),
    usernameChanges: { count: expect.any(Number) },
  });
});

test('errors name the missing object', async () => {
  expectRefusal(await ada.get('/list/members', { listId: '12' }), 404, 'List not found: 12');
  expectRefusal(await ada.get('/user/followers', { userName: 'nobody_here' }), 404, 'User not found: nobody_here');
  expectRefusal(await ada.post('/user/follow', { user_id: '12' }), 404, 'User not found: 12');
  expectRefusal(await ada.post('/user/follow', {}), 400, 'Missing required field: username or user_id');
});
