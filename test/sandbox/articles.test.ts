import { expect, test } from 'vitest';
import type { Account, Json } from './harness.ts';
import { openSandbox } from './harness.ts';

const TITLES = ['On looms', 'On "numbers"', 'On coffee'];

const sandbox = await openSandbox();
const open = await sandbox.mint({ userName: 'Writer', premium: true });
const shy = await sandbox.mint({ userName: 'Shy', premium: true, protected: true });
for (const as of [open, shy]) for (const title of TITLES) await publish(as, title);

async function publish(as: Account, title: string): Promise<void> {
  const { id } = (await sandbox.call('POST', '/api/articles', { as, body: {} })).body.article;
  await sandbox.call('PUT', `/api/articles/${id}/title`, { as, body: { title } });
  expect((await sandbox.call('PUT', `/api/articles/${id}/published`, { as })).status).toBe(200);
}

test('the tweets that wrap articles are listed, newest first, with the articles', async () => {
  const { body } = await sandbox.get('/api/users/by/writer/articles');
  expect(body.user).toEqual({ id: open.userId, screen_name: 'Writer' });
  expect(body.tweets.map((tweet: Json) => tweet.article.title)).toEqual(TITLES.toReversed());
  const first = await sandbox.get(`/api/users/${open.userId}/articles?count=1`);
  const second = await sandbox.get(`/api/users/by/Writer/articles?count=1&cursor=${first.body.next_cursor}`);
  const ids = [first, second].map((page) => page.body.tweets[0].id);
  expect(ids).toEqual(body.tweets.slice(0, 2).map(({ id }: Json) => id));
});

test('the list omits articles whose tweet was deleted, and is refused for a protected author', async () => {
  const { tweets } = (await sandbox.get('/api/users/by/writer/articles')).body;
  await sandbox.call('DELETE', `/api/tweets/${tweets[0].id}`, { as: open });
  const rest = (await sandbox.get('/api/users/by/writer/articles')).body.tweets;
  expect(rest.map(({ id }: Json) => id)).toEqual(tweets.slice(1).map(({ id }: Json) => id));
  expect((await sandbox.get('/api/users/by/shy/articles')).body.problem.code).toBe('protected');
  expect((await sandbox.get('/api/users/by/shy/articles', shy)).body.tweets).toHaveLength(3);
});

test('other tweets have no article', async () => {
  expect((await sandbox.tweet('Short and plain')).body.tweet.article).toBeNull();
});
