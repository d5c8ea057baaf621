import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada } = await useService();

const post = async () =>
  String((await ada.post('/tweet/create', { text: `Pass it on ${Math.random()}` })).body.data['id']);
const retweeters = async (tweet_id: string, as = ada) => (await as.get('/tweet/retweeters', { tweet_id })).body.data;
const namesOf = (page: Record<string, unknown>) =>
  (page['users'] as { userName: string }[]).map(({ userName }) => userName);

test('retweeters are user cards, the newest retweet first, without those who took it back', async () => {
  const tweet_id = await post();
  const [first, second] = [await sandbox.mint(), await sandbox.mint()];
  for (const { authToken } of [first, second, first])
    await ada.with({ authToken }).post('/tweet/retweet', { tweet_id });
  const page = await retweeters(tweet_id);
  expect(page).toMatchObject({ tweetId: tweet_id, user_count: 2, has_more: false, next_cursor: null });
  expect((page['users'] as unknown[])[0]).toMatchObject({ type: 'user', id: second.userId, followers: 0, listed: 0 });
  expect(namesOf(page)).toEqual([second.userName, first.userName]);

  await ada.with({ authToken: second.authToken }).post('/tweet/unretweet', { tweet_id });
  expect(namesOf(await retweeters(tweet_id))).toEqual([first.userName]);
  await ada.with({ authToken: second.authToken }).post('/tweet/retweet', { tweet_id });
  expect(namesOf(await retweeters(tweet_id))).toEqual([second.userName, first.userName]);
});

test('a protected retweeter is listed for followers only', async () => {
  const tweet_id = await post();
  const shy = await sandbox.mint({ protected: true });
  const owner = ada.with({ authToken: shy.authToken });
  await owner.post('/tweet/retweet', { tweet_id });
  expect(await retweeters(tweet_id)).toMatchObject({ user_count: 0, users: [] });
  expect(namesOf(await retweeters(tweet_id, owner))).toEqual([shy.userName]);
});

test('an unknown tweet, a wrong id and a cursor of another list are refused', async () => {
  expectRefusal(await ada.get('/tweet/retweeters', { tweet_id: '1' }), 404, 'Tweet not found: 1');
  expectRefusal(await ada.get('/tweet/retweeters', {}), 400, 'Missing required field: tweet_id');
  const { userName = '' } = service.demo.accounts[0] ?? {};
  const [one, other] = [await post(), await post()];
  await sandbox.makeEvents({ type: 'retweet', userName, tweetId: one, count: 2 });
  const { data } = (await ada.get('/tweet/retweeters', { tweet_id: one, count: '1' })).body;
  const cursor = String(data['next_cursor']);
  expectRefusal(await ada.get('/tweet/retweeters', { tweet_id: other, cursor }), 400);
  expect((await ada.get('/tweet/retweeters', { tweet_id: one, cursor })).body.data['next_cursor']).toBe(null);
});
