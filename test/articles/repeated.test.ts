import { beforeEach, expect, test } from 'vitest';
import { startOrigin } from '../media/origin.ts';
import { png } from '../media/pictures.ts';
import { articleIn, first, second, startArticleFixture } from './fixture.ts';

let count = 0;

const origin = await startOrigin();
const fixture = await startArticleFixture();
beforeEach(() => fixture.sandbox.clearFaults());

const newKey = () => ({ 'idempotency-key': `article-${++count}` });
const whole = () => ({ ...first, publish: true, cover_image_url: origin.serve('/cover.png', png()) });

test.each(['REST', 'GraphQL'] as const)('over %s the same create with the same key makes one article', async (face) => {
  const writer = await fixture.writer(face);
  const key = newKey();
  const made = await writer.act('create', whole(), key);
  expect(await writer.act('create', whole(), key)).toEqual(made);
  expect(await writer.list()).toHaveLength(1);
});

test.each([
  // The draft was created but the response was lost. The second attempt continues with this draft.
  ['articleCreateDraft', null],
  // The draft was deleted again. The second attempt creates another one.
  ['articlePublish', null],
  // The draft could not be deleted. The second attempt has nothing to do, because it is published.
  ['articlePublish', 'refused'],
  // The draft was deleted but the response was lost.
  ['articlePublish', 'lost'],
])('a create that failed at %s (deletion: %s) and is sent again makes one article', async (operation, deletion) => {
  const writer = await fixture.writer();
  const key = newKey();
  await fixture.fail(operation, 1, { kind: 'reset_after' });
  if (deletion === 'refused') await fixture.fail('deleteArticle', 4);
  if (deletion === 'lost') await fixture.fail('deleteArticle', 1, { kind: 'reset_after' });
  expect((await writer.act('create', whole(), key)).status).toBe(502);
  await fixture.sandbox.clearFaults();
  const again = await writer.act('create', whole(), key);
  expect(again.status, String(again.error)).toBe(200);
  expect(await writer.list()).toMatchObject([{ article_id: again.data['article_id'], status: 'published' }]);
  expect(await writer.read(String(again.data['article_id']))).toMatchObject(first);
  expect(await writer.wrappers()).toHaveLength(1);
});

test('a create that fails at each of four attempts leaves nothing behind, and removes each draft at the first try', async () => {
  const writer = await fixture.writer();
  const key = newKey();
  for (let attempt = 0; attempt < 4; attempt++) {
    await fixture.fail('articlePublish');
    const before = await fixture.sandbox.requests('deleteArticle');
    const refused = await writer.act('create', { ...first, publish: true }, key);
    expect([refused.status, refused.error]).toEqual([502, 'The platform failed with status 503']);
    expect(await writer.list()).toEqual([]);
    expect(await fixture.sandbox.requests('deleteArticle')).toBe(before + 1);
  }
  expect((await writer.act('create', { ...first, publish: true }, key)).status).toBe(200);
  expect(await writer.list()).toHaveLength(1);
});

test('a delete whose answer was lost, sent again with its key, succeeds', async () => {
  const writer = await fixture.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  await fixture.fail('deleteArticle', 1, { kind: 'reset_after' });
  expect((await writer.act('delete', { article_id }, key)).status).toBe(502);
  expect((await writer.act('delete', { article_id }, key)).status).toBe(200);
  expect((await writer.act('delete', { article_id })).status).toBe(404);
});

test('an update that failed and was brought back, sent again with its key, is carried out', async () => {
  const writer = await fixture.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  await fixture.fail('changeArticle', 1, { kind: 'reset_after' });
  expect((await writer.act('update', { article_id, ...second }, key)).status).toBe(502);
  expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'published' });
  expect((await writer.act('update', { article_id, ...second }, key)).status).toBe(200);
  expect(await writer.read(article_id)).toMatchObject({ ...second, status: 'published' });
});

test('an update that died while the article was unpublished, sent again with its key, publishes it', async () => {
  const writer = await fixture.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  const update = (headers: Record<string, string>) =>
    writer.act('update', { article_id, ...second, cover_image_url: origin.serve('/cover.png', png()) }, headers);
  // No later step of the first attempt succeeds, as if its process had died.
  await fixture.fail('changeArticle', 1);
  await fixture.fail('articlePublish', 3);
  expect((await update(key)).status).toBe(502);
  await fixture.sandbox.clearFaults();
  expect((await writer.read(article_id))['status']).toBe('draft');
  expect((await update(key)).status).toBe(200);
  expect(await writer.read(article_id)).toMatchObject({ ...second, status: 'published' });
  expect(await writer.wrappers()).toHaveLength(1);
  // A request with another key cannot know this.
  await writer.act('unpublish', { article_id });
  await update(newKey());
  expect((await writer.read(article_id))['status']).toBe('draft');
});
