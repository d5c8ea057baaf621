import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Origin, startOrigin } from '../media/origin.ts';
import { png } from '../media/pictures.ts';
import { restingBalance } from '../support/refusal.ts';
import { type ArticleWorld, articleIn, first, second, startArticleWorld } from './world.ts';

let world: ArticleWorld;
let origin: Origin;
let cover: string;

beforeAll(async () => {
  origin = await startOrigin();
  cover = origin.serve('/cover.png', png());
  world = await startArticleWorld({ PLATFORM_TIMEOUT_MS: '400' });
});
beforeEach(() => world.sandbox.clearFaults());
afterAll(async () => {
  await world.stop();
  await origin.close();
});

/** Not performed; performed, but nobody is told; and asked to come again. */
const faults = [
  [{ kind: 'status', status: 503 }, 502],
  [{ kind: 'reset_after' }, 502],
  [{ kind: 'hang_after' }, 504],
  [{ kind: 'rate_limit', retry_after: 7 }, 429],
  [{ kind: 'status', status: 400, code: 'media_refused', message: 'No' }, 400],
] as const;

const edits = ['setArticleTitle', 'setArticleContent', 'setArticleCover'] as const;
const faces = ['REST', 'GraphQL'] as const;

describe.each(faces)('create over %s', (face) => {
  const whole = () => ({ ...first, publish: true, cover_image_url: cover });

  describe.each(['me', 'uploadMedia', ...edits, 'publishArticle'])('where %s fails', (operation) => {
    test.each(faults)('by %o leaves nothing behind, and costs nothing', async (fault, status) => {
      const writer = await world.writer(face);
      const balance = await restingBalance(writer.client);
      // A read whose connection broke is sent once more.
      await world.fail(operation, operation === 'me' ? 2 : 1, fault);
      const refused = await writer.act('create', whole());
      expect(refused.status, String(refused.error)).toBe(status);
      expect(refused.error).not.toContain('left');
      await world.sandbox.clearFaults();
      expect(await writer.list()).toEqual([]);
      expect(await writer.wrappers()).toEqual([]);
      expect(Number(balance) - Number(await restingBalance(writer.client))).toBeCloseTo(0.002, 9);
    });
  });

  test.each(faults)('where the article cannot be read afterwards (%o) leaves nothing behind', async (fault, status) => {
    const writer = await world.writer(face);
    await world.fail('article', 2, fault);
    expect((await writer.act('create', whole())).status).toBe(status);
    await world.sandbox.clearFaults();
    expect(await writer.list()).toEqual([]);
  });

  test('where the draft is begun and nobody is told, the error says that it may be there', async () => {
    const writer = await world.writer(face);
    await world.fail('createArticle', 1, { kind: 'reset_after' });
    const refused = await writer.act('create', whole());
    expect(refused.status).toBe(502);
    expect(refused.error).toMatch(/An empty draft may be left behind: article\/list shows it$/);
    expect(await writer.list()).toMatchObject([{ title: '', status: 'draft' }]);
  });

  test('where it cannot be removed either, the error names it and its state', async () => {
    for (const operation of ['setArticleContent', 'publishArticle']) {
      const writer = await world.writer(face);
      await world.fail(operation, 1, { kind: 'reset_after' });
      await world.fail('deleteArticle', 2);
      const refused = await writer.act('create', whole());
      const [left] = await writer.list();
      const state = operation === 'publishArticle' ? 'published' : 'draft';
      expect(left).toMatchObject({ status: state });
      expect(refused.status).toBe(502);
      expect(refused.error).toMatch(/broke the connection\. Article /);
      const said = `Article ${left?.['article_id']} could not be removed. Its status is now ${state}`;
      expect(refused.error).toContain(said);
    }
  });

  test('where nobody knows what is left, the error says so', async () => {
    const writer = await world.writer(face);
    await world.fail('setArticleContent');
    await world.fail('deleteArticle', 2);
    await world.fail('article', 2);
    const refused = await writer.act('create', whole());
    const [left] = await writer.list();
    expect(refused.error).toContain(
      `Article ${left?.['article_id']} could not be removed. Its status is now draft, unless`,
    );
  });
});

describe.each(faces)('update over %s', (face) => {
  const whole = () => ({ ...second, cover_image_url: cover });

  describe.each([
    ['draft', ['article', 'uploadMedia', 'unpublishArticle', ...edits]],
    ['published', ['article', 'me', 'uploadMedia', 'unpublishArticle', ...edits, 'publishArticle']],
  ] as const)('of a %s', (state, operations) => {
    describe.each(operations)('where %s fails', (operation) => {
      test.each(faults)('by %o brings it back to what it was', async (fault, status) => {
        const writer = await world.writer(face);
        const article_id = await articleIn(state, writer);
        const { updated_at: _at, tweet_id: _tweet, ...before } = await writer.read(article_id);
        await world.fail(operation, operation === 'article' || operation === 'me' ? 2 : 1, fault);
        const refused = await writer.act('update', { article_id, ...whole() });
        expect(refused.status, String(refused.error)).toBe(status);
        expect(refused.error).not.toContain('It is now');
        await world.sandbox.clearFaults();
        expect(await writer.read(article_id)).toMatchObject(before);
        expect((await writer.wrappers()).map(({ text }) => text)).toEqual(state === 'published' ? [first.title] : []);
        // And what failed once can be done.
        expect((await writer.act('update', { article_id, ...whole() })).status).toBe(200);
        expect(await writer.read(article_id)).toMatchObject({ ...second, status: state });
      });
    });
  });

  test.each([
    // The step and both tries to undo it.
    ['setArticleTitle', 3, 'status draft, title old'],
    ['setArticleContent', 3, 'status draft, title old, content old'],
    ['publishArticle', 3, 'status draft, title old, content old, cover old'],
  ])('where %s fails %i times, the error tells what has become of it', async (operation, times, state) => {
    const writer = await world.writer(face);
    const article_id = await articleIn('published', writer);
    await world.fail(operation, times);
    const refused = await writer.act('update', { article_id, ...whole() });
    expect(refused.status).toBe(502);
    const said = `Article ${article_id} could not be brought back to what it was. It is now: ${state}`;
    expect(refused.error?.endsWith(said), String(refused.error)).toBe(true);
    expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'draft' });
  });

  test('what the platform shows afterwards is what the error says, where the new content was written', async () => {
    const writer = await world.writer(face);
    const article_id = await articleIn('published', writer);
    await world.fail('setArticleContent', 1, { kind: 'reset_after' });
    await world.fail('setArticleContent', 2);
    const refused = await writer.act('update', { article_id, ...second });
    expect(refused.error).toContain('It is now: status draft, title old, content new');
    expect(await writer.read(article_id)).toMatchObject({
      title: first.title,
      content: second.content,
      status: 'draft',
    });
  });

  test('where nobody knows, the error says what it may be', async () => {
    const writer = await world.writer(face);
    const article_id = await articleIn('published', writer);
    // The first read finds it; those after the fault do not.
    await world.fail('unpublishArticle', 1, { kind: 'latency', ms: 300 });
    const updating = writer.act('update', { article_id, ...second });
    await new Promise((resolve) => setTimeout(resolve, 150));
    await world.fail('setArticleTitle', 3);
    await world.fail('article', 2);
    const refused = await updating;
    expect(refused.error).toContain(`Article ${article_id} could not be brought back to what it was`);
    expect(refused.error).toContain('It is now: status draft, title old or new');
  });
});

test.each(['publish', 'unpublish'] as const)('%s whose answer was lost can be asked for again', async (trigger) => {
  const writer = await world.writer();
  const article_id = await articleIn(trigger === 'publish' ? 'draft' : 'published', writer);
  await world.fail(`${trigger}Article`, 1, { kind: 'reset_after' });
  expect((await writer.act(trigger, { article_id })).status).toBe(502);
  expect((await writer.act(trigger, { article_id })).status).toBe(200);
  expect((await writer.read(article_id))['status']).toBe(trigger === 'publish' ? 'published' : 'draft');
  expect((await writer.wrappers()).length).toBe(trigger === 'publish' ? 1 : 0);
});
