import { describe, expect, test } from 'vitest';
import { isAll } from '../../support/repetitions.ts';
import { useCallCounts } from './call-count-fixture.ts';
import { listFields } from './list-fields.ts';

interface Page {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** A list field: a function that inserts the list into a document, the path to the list, and its arguments. */
type List = readonly [name: string, around: (list: string) => string, field: string, from: string, args?: string];

const lists: readonly List[] = [
  ...listFields.map(({ action, parent, name, args }): List => {
    const { example } = action;
    const whose = example['userName'] ?? example['user_name'];
    const around: Record<string, List[1]> = {
      User: (list) => `user(userName: "${whose}") { ${list} }`,
      Tweet: (list) => `tweet(tweetId: $tweetId) { ${list} }`,
      List: (list) => `list(listId: $listId) { ${list} }`,
    };
    const required = args
      .filter((arg) => arg.required)
      .map((arg) => `${arg.name}: ${JSON.stringify(example[arg.name])}, `);
    const at = parent === 'Query' ? name : `${parent.toLowerCase()}.${name}`;
    return [at, around[parent] ?? ((list) => list), name, at, required.join('')];
  }),
  ['searchTweets by rank', (list) => list, 'searchTweets', 'searchTweets', 'q: "from:grace", product: TOP, '],
  ['payments', (list) => `account { ${list} }`, 'payments', 'account.payments'],
];

/** The number of items to read. Every page size ends within it, and reading it one item at a time is fast. */
const enough = 25;

const fixture = await useCallCounts({ RATE_LIMIT: '100000' });
const { id, key } = await fixture.service.makeAccount('100');
const caller = fixture.ada.with({ key });
for (let i = 0; i < 9; i++) await fixture.service.credit(id, '0.01', `Payment ${i}`);
const ada = fixture.service.demo.accounts[0].authToken;
const tweetId = await fixture.post(ada, 'What do you read?');
for (let i = 0; i < 9; i++) {
  const reply = await fixture.post(ada, `A book, number ${i}`, { reply_to_tweet_id: tweetId });
  await fixture.rest.post('/tweet/bookmark', { tweet_id: reply });
}
const { userName } = fixture.service.demo.accounts[0];
for (const type of ['quote', 'retweet', 'like'])
  await fixture.sandbox.makeEvents({ type, userName, tweetId, count: 9 });

async function page(list: List, first: number, after: string | null = null, by = caller): Promise<Page> {
  const answer = await ask(list, { first, after }, by);
  expect(answer.errors).toEqual([]);
  return list[3].split('.').reduce((value, name) => value[name], answer.data) as Page;
}

function ask([name, around, field, , args = '']: List, given: Record<string, unknown>, by = caller) {
  const parameters = ['$first: Int', '$after: String'];
  const node = name === 'payments' ? 'id: paymentId' : 'id';
  const text = around(`${field}(${args}first: $first, after: $after) {
    edges { cursor node { ${node} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }`);
  if (text.includes('$listId')) parameters.push('$listId: String!');
  if (text.includes('$tweetId')) parameters.push('$tweetId: String!');
  const { listId } = fixture.service.demo;
  return by.ask(`query (${parameters}) { ${text} }`, { listId, tweetId, ...given });
}

/** Returns the ids of the first `enough` items after `after`, read in pages of `first` items. */
async function walk(list: List, first: number, after: string | null = null): Promise<string[]> {
  const ids: string[] = [];
  let cursor = after;
  for (;;) {
    const { edges, pageInfo } = await page(list, first, cursor);
    expect(edges.length).toBeLessThanOrEqual(first);
    expect(pageInfo).toMatchObject({
      hasPreviousPage: cursor !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
    ids.push(...edges.map(({ node }) => node.id));
    if (!pageInfo.hasNextPage || ids.length >= enough) return ids.slice(0, enough);
    expect(pageInfo.endCursor).not.toBeNull();
    cursor = pageInfo.endCursor;
  }
}

const named = lists.map((list) => [list[0], list] as const);

describe('walking', () => {
  test.each(named)('%s gives each item once, whatever the size of the pages', async (_name, list) => {
    const all = await walk(list, 100);
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all).size).toBe(all.length);
    expect(await walk(list, 7)).toEqual(all);
    expect(await walk(list, isAll ? 1 : 5)).toEqual(all);
  });

  test.each(named)('%s goes on from any of its edges', async (_name, list) => {
    const all = await walk(list, 100);
    for (const first of [3, 100]) {
      const { edges } = await page(list, first);
      for (const index of [0, 1, edges.length - 1]) {
        const rest = await walk(list, isAll ? 4 : 6, edges[index]?.cursor);
        expect(rest.slice(0, enough - index - 1)).toEqual(all.slice(index + 1));
      }
    }
  });
});

test('a list of whom nobody follows is an empty page', async () => {
  const { userName } = await fixture.sandbox.mint();
  const empty: List = ['none', (list) => `user(userName: "${userName}") { ${list} }`, 'followers', 'user.followers'];
  expect(await page(empty, 5)).toEqual({
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
  });
});
