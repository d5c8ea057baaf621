import { beforeEach, describe, expect, test } from 'vitest';
import { startOrigin } from '../media/origin.ts';
import { png } from '../media/pictures.ts';
import { restingBalance } from '../support/refusal.ts';
import { repetitions } from '../support/repetitions.ts';
import { articleIn, first, second, startArticleFixture } from './fixture.ts';

const origin = await startOrigin();
const cover = origin.serve('/cover.png', png());
const fixture = await startArticleFixture({ PLATFORM_TIMEOUT_MS: '800' });
beforeEach(() => fixture.sandbox.clearFaults());

/** Three kinds of failure: the call is not performed, it is performed but the response is lost, and the platform asks for a retry. */
const faults = [
  [{ kind: 'status', status: 503 }, 502],
  [{ kind: 'reset_after' }, 502],
  [{ kind: 'hang_after' }, 504],
  // A later call must not wait for the end of the limit.
  [{ kind: 'rate_limit', retry_after: 0 }, 429],
  [{ kind: 'status', status: 403, message: 'No' }, 403],
] as const;

/** Both run the same actions. */
const apiClients = (['REST', 'GraphQL'] as const).slice(0, repetitions(1, 2));

describe.each(apiClients)('create over %s', (face) => {
  const whole = () => ({ ...first, publish: true, cover_image_url: cover });

  describe.each(['getUsersMe', 'mediaUpload', 'articlePublish'])('where %s fails', (operation) => {
    test.each(faults)('by %o leaves nothing behind, and costs nothing', async (fault, status) => {
      const writer = await fixture.writer(face);
      const balance = await restingBalance(writer.client);
      // A read whose connection broke is repeated once, so it must fail twice.
      await fixture.fail(operation, operation === 'getUsersMe' ? 2 : 1, fault);
      const refused = await writer.act('create', whole());
      expect(refused.status, String(refused.error)).toBe(status);
      expect(refused.error).not.toContain('left');
      await fixture.sandbox.clearFaults();
      expect(await writer.list()).toEqual([]);
      expect(await writer.wrappers()).toEqual([]);
      expect(Number(balance) - Number(await restingBalance(writer.client))).toBeCloseTo(0.002, 9);
    });
  });

  test('with an unknown outcome of the draft reports that the draft may exist', async () => {
    const writer = await fixture.writer(face);
    await fixture.fail('articleCreateDraft', 1, { kind: 'reset_after' });
    const refused = await writer.act('create', whole());
    expect(refused.status).toBe(502);
    expect(refused.error).toMatch(/A draft may be left behind: article\/list shows it$/);
    expect(await writer.list()).toMatchObject([{ title: first.title, status: 'draft' }]);
  });

  test('with a draft that cannot be removed names the draft and its state in the error', async () => {
    for (const [fault, state] of [
      [{ kind: 'status', status: 503 }, 'draft'],
      [{ kind: 'reset_after' }, 'published'],
    ] as const) {
      const writer = await fixture.writer(face);
      await fixture.fail('articlePublish', 1, fault);
      await fixture.fail('deleteArticle', 2);
      const refused = await writer.act('create', whole());
      const [left] = await writer.list();
      expect(left).toMatchObject({ status: state });
      expect(refused.status).toBe(502);
      expect(refused.error).toMatch(/(?:broke the connection|status 503)\. Article /);
      const said = `Article ${left?.['article_id']} could not be removed. Its status is now ${state}`;
      expect(refused.error).toContain(said);
    }
  });

  test('with an unknown final state reports this in the error', async () => {
    const writer = await fixture.writer(face);
    await fixture.fail('articlePublish');
    await fixture.fail('deleteArticle', 2);
    await fixture.fail('getArticle', 2);
    const refused = await writer.act('create', whole());
    const [left] = await writer.list();
    const said = `Article ${left?.['article_id']} could not be removed. Its status is now draft, unless`;
    expect(refused.error).toContain(said);
  });
});

describe.each(apiClients)('update over %s', (face) => {
  const whole = () => ({ ...second, cover_image_url: cover });

  describe.each([
    ['draft', ['getArticle', 'mediaUpload', 'unpublishArticle', 'changeArticle']],
    ['published', ['getArticle', 'getUsersMe', 'mediaUpload', 'unpublishArticle', 'changeArticle', 'articlePublish']],
  ] as const)('of a %s', (state, operations) => {
    describe.each(operations)('where %s fails', (operation) => {
      test.each(faults)('by %o restores the article', async (fault, status) => {
        const writer = await fixture.writer(face);
        const article_id = await articleIn(state, writer);
        const { updated_at: _at, tweet_id: _tweet, ...before } = await writer.read(article_id);
        await fixture.fail(operation, operation === 'getArticle' || operation === 'getUsersMe' ? 2 : 1, fault);
        const refused = await writer.act('update', { article_id, ...whole() });
        expect(refused.status, String(refused.error)).toBe(status);
        expect(refused.error).not.toContain('It is now');
        await fixture.sandbox.clearFaults();
        expect(await writer.read(article_id)).toMatchObject(before);
        expect((await writer.wrappers()).map(({ text }) => text)).toEqual(state === 'published' ? [first.title] : []);
        // A later attempt must succeed.
        expect((await writer.act('update', { article_id, ...whole() })).status).toBe(200);
        expect(await writer.read(article_id)).toMatchObject({ ...second, status: state });
      });
    });
  });

  test.each([
    // The step fails, and both attempts to undo it fail.
    ['articlePublish', 3, 'status draft, edits old'],
  ])('where %s fails %i times, the error tells what has become of it', async (operation, times, state) => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    await fixture.fail(operation, times);
    const refused = await writer.act('update', { article_id, ...whole() });
    expect(refused.status).toBe(502);
    const said = `Article ${article_id} could not be brought back to what it was. It is now: ${state}`;
    expect(refused.error?.endsWith(said), String(refused.error)).toBe(true);
    expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'draft' });
  });

  test('the error describes the state at the platform if the new content was written', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    await fixture.fail('changeArticle', 1, { kind: 'reset_after' });
    await fixture.fail('changeArticle', 2);
    const refused = await writer.act('update', { article_id, ...second });
    expect(refused.error).toContain('It is now: status draft, edits new');
    expect(await writer.read(article_id)).toMatchObject({ ...second, status: 'draft' });
  });

  test('with an unknown final state reports the possible states', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    // The first read finds the tweet; the reads after the fault do not.
    const before = await fixture.sandbox.requests('unpublishArticle');
    await fixture.fail('unpublishArticle', 1, { kind: 'latency', ms: 600 });
    const updating = writer.act('update', { article_id, ...second });
    await expect.poll(() => fixture.sandbox.requests('unpublishArticle'), { interval: 5 }).toBeGreaterThan(before);
    await fixture.fail('changeArticle', 3);
    await fixture.fail('getArticle', 2);
    const refused = await updating;
    expect(refused.error).toContain(`Article ${article_id} could not be brought back to what it was`);
    expect(refused.error).toContain('It is now: status draft, edits old or new');
  });
});

test.each(['publish', 'unpublish'] as const)('%s whose response was lost can be repeated', async (trigger) => {
  const writer = await fixture.writer();
  const article_id = await articleIn(trigger === 'publish' ? 'draft' : 'published', writer);
  await fixture.fail(trigger === 'publish' ? 'articlePublish' : 'unpublishArticle', 1, { kind: 'reset_after' });
  expect((await writer.act(trigger, { article_id })).status).toBe(502);
  expect((await writer.act(trigger, { article_id })).status).toBe(200);
  expect((await writer.read(article_id))['status']).toBe(trigger === 'publish' ? 'published' : 'draft');
  expect((await writer.wrappers()).length).toBe(trigger === 'publish' ? 1 : 0);
});
