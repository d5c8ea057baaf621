import { describe, expect, test } from 'vitest';
import type { GraphqlAnswer } from '../../support/graphql.ts';
import { useCallCounts } from './call-count-fixture.ts';

const search = `query ($q: String = "from:grace", $product: SearchProduct, $first: Int = 3, $after: String) {
  searchTweets(q: $q, product: $product, first: $first, after: $after) { edges { cursor node { tweetId } } }
}`;
const bookmarks = `query ($first: Int, $after: String) { bookmarks(first: $first, after: $after) { nodes { text } } }`;
const followers = `query ($first: Int, $after: String, $userName: String = "grace") {
  user(userName: $userName) { followers(first: $first, after: $after) { edges { cursor } } }
}`;
const following = followers.replace('followers(', 'following(');
const payments = `query ($first: Int, $after: String) { account { payments(first: $first, after: $after) { nodes { amount } } } }`;

const fixture = await useCallCounts();
const cursor = (await fixture.ada.ask(search)).data.searchTweets.edges[1].cursor;

function expectRefused({ errors, extensions }: GraphqlAnswer, field: string, charged = '0'): void {
  expect(errors).toHaveLength(1);
  expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', status: 400, field });
  expect(errors[0]?.message).toMatch(new RegExp(`^Malformed field: ${field}: `));
  expect(extensions.credits.charged).toBe(charged);
}

describe('a cursor is refused', () => {
  test('of another list, or of the same with other arguments', async () => {
    expectRefused(await fixture.ada.ask(bookmarks, { after: cursor }), 'after');
    expectRefused(await fixture.ada.ask(payments, { after: cursor }), 'after');
    expectRefused(await fixture.ada.ask(search, { after: cursor, q: 'coffee' }), 'after');
    expectRefused(await fixture.ada.ask(search, { after: cursor, product: 'TOP' }), 'after');
    const of = (await fixture.ada.ask(followers, { first: 3 })).data.user.followers.edges[1].cursor;
    expect((await fixture.ada.ask(followers, { first: 3, after: of })).errors).toEqual([]);
    expectRefused(await fixture.ada.ask(following, { after: of }), 'after', '0.001');
    expectRefused(await fixture.ada.ask(followers, { after: of, userName: 'ada' }), 'after', '0.001');
  });

  test('of another actor', async () => {
    const { authToken } = await fixture.sandbox.mint();
    expectRefused(await fixture.ada.with({ authToken }).ask(search, { after: cursor }), 'after');
  });

  test('that was altered, made up, or is REST’s', async () => {
    const rest = (await fixture.rest.get('/tweet/advanced_search', { q: 'from:grace', count: '3' })).body.data;
    const altered = [...Array(cursor.length).keys()].map(
      (at) => `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    );
    const made = ['', 'made-up', `${cursor}A`, cursor.slice(1), `${cursor}=`, String(rest['next_cursor'])];
    for (const after of [...made, ...altered]) expectRefused(await fixture.ada.ask(search, { after }), 'after');
  });

  test('by REST where it is GraphQL’s', async () => {
    const query = { q: 'from:grace', count: '3', cursor };
    expect((await fixture.rest.get('/tweet/advanced_search', query)).status).toBe(400);
  });
});

describe('first', () => {
  test.each([0, -1, 101, 2_147_483_647])('of %i is refused', async (first) => {
    expectRefused(await fixture.ada.ask(search, { first }), 'first');
    expectRefused(await fixture.ada.ask(bookmarks, { first }), 'first');
    expectRefused(await fixture.ada.ask(payments, { first }), 'first');
    expectRefused(await fixture.ada.ask(followers, { first }), 'first', '0.001');
  });

  test('that is no whole number is refused with the document', async () => {
    for (const first of [1.5, '3', 3_000_000_000, true]) {
      const answer = await fixture.ada.ask(bookmarks, { first });
      expect(answer).toMatchObject({ status: 400, data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
      expect(answer.extensions.credits.charged).toBe('0');
    }
  });

  test('is 20 where it is null or left out', async () => {
    for (const first of [null, undefined]) {
      const query = 'query ($first: Int) { homeTimeline(first: $first) { nodes { text } } }';
      const { data } = await fixture.ada.ask(query, { first });
      expect(data.homeTimeline.nodes).toHaveLength(20);
    }
  });
});
