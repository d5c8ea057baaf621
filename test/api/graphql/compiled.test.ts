import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useCallCounts } from './call-count-fixture.ts';

const fixture = await useCallCounts();

/** The number of requests for a document. It is high enough for the document to be compiled. */
const times = 8;

/** Characters that could end a string or begin code in the generated program. */
const everySign = `"'\`$` + '{1}\\u2028\u2028 */ // \\ \n';

const documents: readonly [name: string, query: string, variables?: Record<string, unknown>][] = [
  [
    'lists in lists',
    '{ user(userName: "grace") { name tweets(first: 3) { nodes { text author { userName listedCount } } } } }',
  ],
  [
    'fragments and aliases',
    `query { a: user(userName: "ada") { ...U } b: user(userName: "grace") { ...U more: followersCount } }
     fragment U on User { id userName __typename followers(first: 2) { edges { node { ... on User { name } } } } }`,
  ],
  [
    'skip and include',
    'query ($yes: Boolean!, $no: Boolean!) { viewer { name @include(if: $no) userName @skip(if: $no) ... @include(if: $yes) { bio: description } } }',
    { yes: true, no: false },
  ],
  [
    'interfaces',
    `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on User { userName } ... on List { listId } } }`,
    { ids: ['VXNlcjoxMzgzNTk4Njk1', 'TGlzdDox', 'bm9uc2Vuc2U='] },
  ],
  [
    'one field that fails',
    '{ viewer { userName } user(userName: "nobody_at_all") { name } tweet(tweetId: "1") { text } }',
  ],
  ['wrong input', '{ user(userName: "!!") { name } bookmarks(first: 0) { nodes { text } } }'],
  ['nothing found', '{ node(id: "VXNlcjox") { id } }'],
  [
    'enums and scalars',
    '{ searchTweets(q: "from:grace", product: TOP, first: 2) { nodes { createdAt entities { hashtags { text indices } } } } }',
  ],
  [
    'variables with defaults',
    'query ($first: Int = 2) { homeTimeline(first: $first) { pageInfo { hasNextPage } nodes { tweetId } } }',
  ],
  [
    'texts with every sign',
    `query ($text: String = "'; throw 1; //") { searchTweets(q: ${JSON.stringify(everySign)}, first: 1) { nodes { text } } user(userName: $text) { name } }`,
  ],
  [
    'the account',
    '{ account { name apiKeys { prefix } payments(first: 1) { nodes { amount } } } rateLimit { cost costLimit } }',
  ],
  [
    'the schema',
    '{ __schema { queryType { name fields { name args { name type { kind ofType { name } } } } } } __typename }',
  ],
];

describe('a document that is asked for again and again', () => {
  test.each(documents)('is answered the same each time: %s', async (_name, query, variables = {}) => {
    const answers = [];
    for (let i = 0; i < times; i++) {
      const { status, data, errors } = await fixture.ada.ask(query, variables);
      answers.push({ status, data, errors });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('answers each caller’s own variables', async () => {
    const query =
      'query Named($name: String, $more: Boolean!) { user(userName: $name) { userName name @include(if: $more) } }';
    const name = fc.tuple(fc.constantFrom('ada', 'grace', 'linus'), fc.boolean());
    const names = fc.array(name, { minLength: 10, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(names, async (asked) => {
        const answers = await Promise.all(asked.map(([name, more]) => fixture.ada.ask(query, { name, more })));
        for (const [i, { data }] of answers.entries()) {
          const [name, more] = asked[i] ?? [];
          expect(data).toMatchObject({ user: { userName: name } });
          expect('name' in (data as { user: object }).user).toBe(more);
        }
      }),
      { numRuns: 5 },
    );
  });

  test('performs its mutations one after the other, each time anew', async () => {
    const mutation =
      'mutation ($text: String!) { a: createTweet(input: { text: $text }) { text } b: createTweet(input: { text: $text }) { text } }';
    for (let i = 0; i < times; i++) {
      const { data, errors } = await fixture.ada.ask(mutation, { text: `again ${i} of ${Date.now()}` });
      expect(data).toMatchObject({ a: { text: expect.stringContaining(`again ${i}`) }, b: null });
      expect(errors?.[0]).toMatchObject({ path: ['b'], extensions: { code: 'CONFLICT' }, locations: [{ line: 1 }] });
    }
  });
});
