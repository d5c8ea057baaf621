import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { sandbox, ada: caller } = await useService();

async function newcomer(wanted: Record<string, unknown> = {}) {
  const account = await sandbox.mint(wanted);
  const client = caller.with({ authToken: account.authToken });
  const post = async (text: string, more: Record<string, string> = {}) =>
    String((await client.post('/tweet/create', { text, ...more })).body.data['id']);
  const mentions = async (query: Record<string, string> = {}) => (await client.get('/user/mentions', query)).body.data;
  return { ...account, client, post, mentions };
}

const idsOf = (page: Record<string, unknown>) => (page['tweets'] as { id: string }[]).map(({ id }) => id);

test('tweets and replies of others that name the actor, newest first', async () => {
  const [one, other] = [await newcomer(), await newcomer()];
  expect(await one.mentions()).toEqual({
    userId: one.userId,
    tweet_count: 0,
    has_more: false,
    next_cursor: null,
    tweets: [],
  });
  const own = await one.post(`It is me, @${one.userName}`);
  const first = await other.post(`Hello @${one.userName.toUpperCase()}!`);
  await other.post(`${one.userName} without the sign`);
  await other.post(`Hello @${one.userName}x and @${other.userName}`);
  const reply = await other.post(`@${one.userName} and so it is`, { reply_to_tweet_id: own });
  const gone = await other.post(`@${one.userName}, forget this`);
  await other.client.post('/tweet/delete', { tweet_id: gone });

  const page = await one.mentions();
  expect(page).toMatchObject({ userId: one.userId, tweet_count: 2, has_more: false, next_cursor: null });
  expect(idsOf(page)).toEqual([reply, first]);
  expect(await other.mentions()).toMatchObject({ tweet_count: 0 });
});

test('a protected account mentions only its followers', async () => {
  const [one, shy] = [await newcomer(), await newcomer({ protected: true })];
  await shy.post(`Between us, @${one.userName}`);
  expect(await one.mentions()).toMatchObject({ tweet_count: 0 });
});

test('a cursor holds for one actor, and leads to the end while mentions arrive', async () => {
  const [one, other] = [await newcomer(), await newcomer()];
  await sandbox.makeEvents({ type: 'mention', userName: one.userName, count: 5 });
  const all = idsOf(await one.mentions());
  expect(all).toHaveLength(5);
  const { tweets, next_cursor } = await one.mentions({ count: '3' });
  await other.post(`One more for @${one.userName}`);
  const rest = await one.mentions({ count: '3', cursor: String(next_cursor) });
  expect([...idsOf({ tweets }), ...idsOf(rest)]).toEqual(all);
  expect(rest['next_cursor']).toBe(null);
  expectRefusal(await other.client.get('/user/mentions', { cursor: String(next_cursor) }), 400);
  expectRefusal(await one.client.get('/user/mentions', { count: '101' }), 400);
});
