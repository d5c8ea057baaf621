import { describe, expect, test } from 'vitest';
import type { GraphqlAnswer } from '../../support/graphql.ts';
import { restingBalance } from '../../support/refusal.ts';
import { calls, useCallCounts } from './call-count-fixture.ts';

const fixture = await useCallCounts();

/** Creates a caller with credit for a number of calls. */
const caller = (count: number) => fixture.newCaller(calls(count));

const authors = (first: number) =>
  `{ searchTweets(q: "from:grace", first: ${first}) { nodes { author { listedCount } } } }`;

/** Checks that the headers and the extensions of a response have the same values. */
function expectCredits(answer: GraphqlAnswer, charged: number, remaining: string): void {
  expect(answer.extensions.credits).toMatchObject({ charged: calls(charged), remaining });
  expect(answer.extensions.cost.actual).toBe(calls(charged));
  expect(answer.headers.get('x-credits-charged')).toBe(charged > 0 ? calls(charged) : null);
  expect(answer.headers.get('x-credits-remaining')).toBe(charged > 0 ? remaining : null);
}

describe('the worst case', () => {
  test('must be affordable as a whole, though less would be charged', async () => {
    const { graphql, rest } = await caller(10);
    const [refused, asked] = await fixture.sandbox.requestsDuring(() => graphql.ask(authors(10)));
    expect(asked).toEqual({});
    expect(refused.status).toBe(402);
    expect(refused.data).toBeNull();
    const message = expect.stringContaining('the request needs 0.011 dollars');
    expect(refused.errors).toEqual([{ message, extensions: { code: 'INSUFFICIENT_CREDITS', status: 402 } }]);
    expect(refused.extensions.cost).toEqual({ quoted: '0.011', actual: '0', limit: '0.5' });
    expectCredits(refused, 0, '0.01');

    const answered = await graphql.ask(authors(9));
    expect(answered.errors).toEqual([]);
    expect(answered.extensions.cost.quoted).toBe('0.01');
    expectCredits(answered, 2, '0.008');
    expect(await restingBalance(rest)).toBe('0.008');
  });

  test('is reserved while the request runs, and what was not needed goes back', async () => {
    const { graphql, rest } = await caller(30);
    const during = await graphql.ask(`{ a: searchTweets(q: "from:grace", first: 20) { nodes { author { listedCount } } }
      rateLimit { cost balance } account { held } }`);
    expect(during.data.rateLimit.cost).toBe('0.021');
    expect(during.data.account.held).toBe('0.021');
    expect(during.data.rateLimit.balance).toBe('0.009');
    expect(await restingBalance(rest)).toBe('0.028');
    expect((await rest.get('/account/balance')).body.data).toMatchObject({ balance: '0.028', held: '0' });
  });

  test('goes back wholly where everything fails', async () => {
    const { graphql, rest } = await caller(30);
    const answer = await graphql.ask('{ user(userName: "nobody_here") { followers { nodes { mediaCount } } } }');
    expect(answer.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(answer.extensions.cost.quoted).toBe('0.022');
    expectCredits(answer, 0, '0.03');
    expect(await restingBalance(rest)).toBe('0.03');
  });

  test('of calls that are refused by their input is nothing', async () => {
    const { graphql } = await caller(0);
    const answer = await graphql.ask('{ searchTweets(q: "", first: 100) { nodes { author { listedCount } } } }');
    expect(answer.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
    expect(answer.extensions.cost).toMatchObject({ quoted: '0', actual: '0' });
  });

  test('above the limit is refused whole, before the platform is asked', async () => {
    const { graphql } = await caller(100_000);
    const query = `{ user(userName: "grace") {
      followers(first: 100) { nodes { followers(first: 100) { nodes { userName } } following(first: 100) { nodes { mediaCount } } } }
    } }`;
    const [answer, asked] = await fixture.sandbox.requestsDuring(() => graphql.ask(query));
    expect(asked).toEqual({});
    expect(answer.status).toBe(400);
    expect(answer.data).toBeNull();
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0]?.extensions).toEqual({ code: 'TOO_COSTLY', status: 400 });
    expect(answer.errors[0]?.message).toMatch(/could cost up to 10\.202\b.* the limit is 0\.5\b/);
    expect(answer.extensions.cost).toMatchObject({ actual: '0', limit: '0.5' });
    expectCredits(answer, 0, '100');
  });
});

describe('x-cost-only: 1', () => {
  test('answers the quote and runs nothing, whatever the account has', async () => {
    const { graphql } = await caller(0);
    const only = { 'x-cost-only': '1' };
    const [answer, asked] = await fixture.sandbox.requestsDuring(() => graphql.ask(authors(20), {}, only));
    expect(asked).toEqual({});
    expect(answer).toMatchObject({ status: 200, data: null, errors: [] });
    expect(answer.extensions.cost).toEqual({ quoted: '0.021', actual: '0', limit: '0.5' });
    expectCredits(answer, 0, '0');

    const mutation = 'mutation { createTweet(input: { text: "Never posted" }) { id tweet { likeCount } } }';
    expect((await graphql.ask(mutation, {}, only)).extensions.cost).toMatchObject({ quoted: '0.002', actual: '0' });
    expect(await fixture.sandbox.tweets()).not.toContain('Never posted');
  });

  test('needs a key', async () => {
    const answer = await fixture.ada.with({ key: '' }).ask(authors(20), {}, { 'x-cost-only': '1' });
    expect(answer).toMatchObject({ status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});

test('each request has its own quote, though documents are kept: growing variables, two callers', async () => {
  const query = `query ($first: Int, $deep: Boolean!) {
    user(userName: "grace") { followers(first: $first) { nodes { userName mediaCount @include(if: $deep) } } }
  }`;
  const [rich, poor] = [await caller(1_000), await caller(5)];
  for (const first of [1, 3, 4, 2, 100, 1]) {
    const [one, other, flat] = await Promise.all([
      rich.graphql.ask(query, { first, deep: true }),
      poor.graphql.ask(query, { first, deep: true }, { 'x-cost-only': '1' }),
      rich.graphql.ask(query, { first, deep: false }),
    ]);
    for (const { extensions } of [one, other]) expect(extensions.cost.quoted).toBe(calls(2 + first));
    expect(one.extensions.cost.actual).toBe(calls(3));
    expect(other.extensions.cost.actual).toBe('0');
    expect(flat.extensions.cost).toMatchObject({ quoted: '0.002', actual: '0.002' });
  }
  expect((await poor.graphql.ask(query, { first: 4, deep: true })).status).toBe(402);
  const { credits } = (await poor.graphql.ask(query, { first: 3, deep: true })).extensions;
  expect(credits.remaining).toBe('0.002');
});
