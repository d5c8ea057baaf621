import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Origin, startOrigin } from '../media/origin.ts';
import { png } from '../media/pictures.ts';
import { type ArticleWorld, articleIn, first, second, startArticleWorld } from './world.ts';

let world: ArticleWorld;
let origin: Origin;
let count = 0;

beforeAll(async () => {
  origin = await startOrigin();
  world = await startArticleWorld();
});
beforeEach(() => world.sandbox.clearFaults());
afterAll(async () => {
  await world.stop();
  await origin.close();
});

const newKey = () => ({ 'idempotency-key': `article-${++count}` });
const whole = () => ({ ...first, publish: true, cover_image_url: origin.serve('/cover.png', png()) });

test.each(['REST', 'GraphQL'] as const)('over %s the same create with the same key makes one article', async (face) => {
  const writer = await world.writer(face);
  const key = newKey();
  const made = await writer.act('create', whole(), key);
  expect(await writer.act('create', whole(), key)).toEqual(made);
  expect(await writer.list()).toHaveLength(1);
});

test.each([
  // Begun, and nobody was told: the second attempt goes on with the same draft.
  [[['createArticle', 1]]],
  // Removed again: the second attempt begins another.
  [[['setArticleContent', 1]]],
  [[['publishArticle', 1]]],
  // Neither removed: the second attempt finds what the first has left, and is done where that is published.
  [
    [
      ['setArticleCover', 1],
      ['deleteArticle', 4],
    ],
  ],
  [
    [
      ['publishArticle', 1],
      ['deleteArticle', 4],
    ],
  ],
  // Removed, and nobody was told.
  [
    [
      ['setArticleTitle', 1],
      ['deleteArticle', 1],
    ],
  ],
] as [string, number][][][])('a create that failed at %j and is sent again makes one article', async (failing) => {
  const writer = await world.writer();
  const key = newKey();
  for (const [operation, times] of failing) {
    const fault =
      operation === 'deleteArticle' && times > 1 ? { kind: 'status', status: 503 } : { kind: 'reset_after' };
    await world.fail(operation, times, fault);
  }
  expect((await writer.act('create', whole(), key)).status).toBe(502);
  await world.sandbox.clearFaults();
  const again = await writer.act('create', whole(), key);
  expect(again.status, String(again.error)).toBe(200);
  expect(await writer.list()).toMatchObject([{ article_id: again.data['article_id'], status: 'published' }]);
  expect(await writer.read(String(again.data['article_id']))).toMatchObject(first);
  expect(await writer.wrappers()).toHaveLength(1);
});

test('a create that fails at each of four attempts leaves nothing behind, and removes each draft at the first try', async () => {
  const writer = await world.writer();
  const key = newKey();
  for (let attempt = 0; attempt < 4; attempt++) {
    await world.fail('setArticleTitle');
    const before = await world.sandbox.requests('deleteArticle');
    const refused = await writer.act('create', first, key);
    expect([refused.status, refused.error]).toEqual([502, 'The platform failed with status 503']);
    expect(await writer.list()).toEqual([]);
    expect(await world.sandbox.requests('deleteArticle')).toBe(before + 1);
  }
  expect((await writer.act('create', first, key)).status).toBe(200);
  expect(await writer.list()).toHaveLength(1);
});

test('a delete whose answer was lost, sent again with its key, succeeds', async () => {
  const writer = await world.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  await world.fail('deleteArticle', 1, { kind: 'reset_after' });
  expect((await writer.act('delete', { article_id }, key)).status).toBe(502);
  expect((await writer.act('delete', { article_id }, key)).status).toBe(200);
  expect((await writer.act('delete', { article_id })).status).toBe(404);
});

test('an update that failed and was brought back, sent again with its key, is carried out', async () => {
  const writer = await world.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  await world.fail('setArticleContent', 1, { kind: 'reset_after' });
  expect((await writer.act('update', { article_id, ...second }, key)).status).toBe(502);
  expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'published' });
  expect((await writer.act('update', { article_id, ...second }, key)).status).toBe(200);
  expect(await writer.read(article_id)).toMatchObject({ ...second, status: 'published' });
});

test('an update that died while the article was unpublished, sent again with its key, publishes it', async () => {
  const writer = await world.writer();
  const [article_id, key] = [await articleIn('published', writer), newKey()];
  const update = (headers: Record<string, string>) =>
    writer.act('update', { article_id, ...second, cover_image_url: origin.serve('/cover.png', png()) }, headers);
  // Nothing more of the first attempt comes to pass, as if it had died.
  await world.fail('setArticleContent');
  for (const operation of ['setArticleTitle', 'publishArticle']) {
    await world.service.addFault({ kind: 'status', status: 503 }, { operation, times: 3 });
  }
  expect((await update(key)).status).toBe(502);
  await world.sandbox.clearFaults();
  expect((await writer.read(article_id))['status']).toBe('draft');
  expect((await update(key)).status).toBe(200);
  expect(await writer.read(article_id)).toMatchObject({ ...second, status: 'published' });
  expect(await writer.wrappers()).toHaveLength(1);
  // Of another request nobody knows that.
  await writer.act('unpublish', { article_id });
  await update(newKey());
  expect((await writer.read(article_id))['status']).toBe('draft');
});
