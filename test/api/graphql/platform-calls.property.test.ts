import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDollars } from '../../../src/shared/model/money.ts';
import { type CountedWorld, globalId, startCountedWorld } from './counted-world.ts';
import { documents } from './random-documents.ts';

let world: CountedWorld;

beforeAll(async () => {
  world = await startCountedWorld({ GRAPHQL_MAX_COST: '100', RATE_LIMIT: '100000' });
});
afterAll(() => world.service.stop());

/** Requests that the platform answered with success, so far. */
async function successes(): Promise<number> {
  const text = await (await fetch(`${world.service.origin}/metrics`)).text();
  const lines = text.matchAll(/^postern_platform_requests_total\{[^}]*outcome="2xx"[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('whatever is asked for costs what the platform was asked for, and never more than was quoted', async () => {
  const found = (await world.rest.get('/tweet/advanced_search', { q: 'from:grace' })).body.data['tweets'];
  const [{ id: tweetId = '' } = {}] = found as { id?: string }[];
  const names = { tweetId, userId: world.graceId, listId: world.service.demo.listId };
  const ids = [globalId('Tweet', tweetId), globalId('User', world.graceId), globalId('List', names.listId)];
  let most = 0;
  await fc.assert(
    fc.asyncProperty(documents, async (document) => {
      const variables = { ...names, ids, yes: true, no: false };
      const before = await successes();
      const answer = await world.ada.ask(document, variables);
      const { cost, credits } = answer.extensions;
      // What is protected, suspended or gone fails by itself, at no cost.
      const codes = answer.errors.map(({ extensions }) => extensions.code);
      expect(
        codes.filter((code) => !['FORBIDDEN', 'NOT_FOUND'].includes(code)),
        JSON.stringify(answer.errors),
      ).toEqual([]);
      const [quoted = -1, actual = -1] = [parseDollars(cost.quoted) ?? -1, parseDollars(cost.actual) ?? -1];
      expect(actual).toBe(((await successes()) - before) * 1_000);
      expect(actual).toBeLessThanOrEqual(quoted);
      expect(credits.charged).toBe(cost.actual);
      expect(answer.headers.get('x-credits-charged') ?? '0').toBe(cost.actual);
      expect(credits.remaining).toBe(answer.headers.get('x-credits-remaining') ?? credits.remaining);
      most = Math.max(most, actual);
    }),
    { numRuns: 150 },
  );
  expect(most).toBeGreaterThan(5_000);
  const { held } = (await world.rest.get('/account/balance')).body.data;
  expect(held).toBe('0');
}, 60_000);
