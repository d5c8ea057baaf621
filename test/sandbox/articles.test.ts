import { expect, test } from 'vitest';
import type { Account, Json } from './harness.ts';
import { openSandbox } from './harness.ts';

const TITLES = ['On looms', 'On "numbers"', 'On coffee'];

const sandbox = await openSandbox();
const open = await sandbox.mint({ userName: 'Writer', premium: true });
const shy = await sandbox.mint({ userName: 'Shy', premium: true, protected: true });
for (const as of [open, shy]) for (const title of TITLES) await publish(as, title);

async function publish(as: Account, title: string): Promise<void> {
  const content = { blocks: [], entities: [], containers: [] };
  const { id } = (await sandbox.x('/2/articles/draft', as, { method: 'POST', body: { title, content } })).body.data;
  expect((await sandbox.x(`/2/articles/${id}/publish`, as, { method: 'POST' })).status).toBe(200);
}

test('the tweets that wrap articles have them, and are deleted with their tweet', async () => {
  const path = `/2/users/${open.userId}/tweets?post.fields=article`;
  const titles = async () => (await sandbox.x(path)).body.data.map((tweet: Json) => tweet.article.title);
  expect(await titles()).toEqual(TITLES.toReversed());
  const [newest] = (await sandbox.x(path)).body.data;
  await sandbox.remove(newest.id, open);
  expect(await titles()).toEqual(TITLES.toReversed().slice(1));
  const ofShy = path.replace(open.userId, shy.userId);
  expect((await sandbox.x(ofShy)).body.errors[0].reason).toBe('protected');
  expect((await sandbox.x(ofShy, shy)).body.data).toHaveLength(3);
});

test('other tweets have no article', async () => {
  const { id } = (await sandbox.tweet('Short and plain')).body.data;
  expect(await sandbox.post(id)).not.toHaveProperty('article');
});
