import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDollars } from '../../../src/shared/model/money.ts';
import { repetitions } from '../../support/repetitions.ts';
import { globalId, useCallCounts } from './call-count-fixture.ts';
import { documents } from './random-documents.ts';

const fixture = await useCallCounts({
  GRAPHQL_MAX_COST: '100',
  GRAPHQL_MAX_RESPONSE_BYTES: '16777216',
  RATE_LIMIT: '100000',
});

/** Returns the number of requests that the platform has answered so far. */
async function requests(): Promise<number> {
  const text = await (await fetch(`${fixture.service.origin}/metrics`)).text();
  const lines = text.matchAll(/^postern_platform_requests_total\{[^}]*outcome="[24]xx"[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('every document costs at most the calls that the platform received, and never more than its quote', async () => {
  const found = (await fixture.rest.get('/tweet/advanced_search', { q: 'from:grace' })).body.data['tweets'];
  const [{ id: tweetId = '' } = {}] = found as { id?: string }[];
  const names = { tweetId, userId: fixture.graceId, listId: fixture.service.demo.listId };
  const ids = [globalId('Tweet', tweetId), globalId('User', fixture.graceId), globalId('List', names.listId)];
  let most = 0;
  await fc.assert(
    fc.asyncProperty(documents, async (document) => {
      const variables = { ...names, ids, yes: true, no: false };
      const before = await requests();
      const answer = await fixture.ada.ask(document, variables);
      const { cost, credits } = answer.extensions;
      // Objects that are protected, suspended or deleted fail at no cost.
      const codes = answer.errors.map(({ extensions }) => extensions.code);
      const others = codes.filter((code) => !['FORBIDDEN', 'NOT_FOUND'].includes(code));
      expect(others, JSON.stringify(answer.errors)).toEqual([]);
      const [quoted = -1, actual = -1] = [parseDollars(cost.quoted) ?? -1, parseDollars(cost.actual) ?? -1];
      expect(actual).toBeLessThanOrEqual(((await requests()) - before) * 1_000);
      expect(actual).toBeLessThanOrEqual(quoted);
      expect(credits.charged).toBe(cost.actual);
      expect(answer.headers.get('x-credits-charged') ?? '0').toBe(cost.actual);
      expect(credits.remaining).toBe(answer.headers.get('x-credits-remaining') ?? credits.remaining);
      most = Math.max(most, actual);
    }),
    { numRuns: repetitions(20, 60) },
  );
  expect(most).toBeGreaterThan(5_000);
  const { held } = (await fixture.rest.get('/account/balance')).body.data;
  expect(held).toBe('0');
});
