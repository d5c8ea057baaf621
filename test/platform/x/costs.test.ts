import { afterAll, expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { startXParity } from '../../api/graphql/parity-sandbox.ts';
import { Client } from '../../support/client.ts';
import { GraphqlClient } from '../../support/graphql.ts';

const fixture = await startXParity();
afterAll(() => fixture.stop());
const { baseUrl, graphqlUrl, makeAccount, reader, shared } = fixture.platform;
const { key } = await makeAccount('5');
const rest = new Client({ baseUrl, key, authToken: reader.authToken });
const graphql = new GraphqlClient({ url: graphqlUrl, key, authToken: reader.authToken });

type Call = readonly [action: string, input: Record<string, unknown>];

const byName = { userName: shared.knownUser };
const byTweet = { tweet_id: shared.discussedTweet };
const user = (selection: string) => `{ user(userName: "${shared.knownUser}") { userName ${selection} } }`;
const tweet = (selection: string) => `{ tweet(tweetId: "${shared.discussedTweet}") { tweetId ${selection} } }`;
const texts = 'nodes { tweetId text }';
const withAuthors = 'nodes { tweetId text author { userName name } }';
const names = 'nodes { userName name }';

/** Ten typical reads: the least number of requests, the calls of REST, and the document. docs/x.md has the result. */
const tasks: Readonly<Record<string, readonly [least: number, calls: readonly Call[], document: string]>> = {
  'a profile': [1, [['user/info', byName]], user('name followersCount')],
  'texts of 20 tweets of a user': [
    2,
    [['user/tweets_and_replies', { ...byName, count: 20 }]],
    user(`tweets(first: 20) { ${texts} }`),
  ],
  'home timeline of 100, with authors': [
    1,
    [['user/home_timeline', { count: 100 }]],
    `{ homeTimeline(first: 100) { ${withAuthors} } }`,
  ],
  '100 followers': [2, [['user/followers', { ...byName, count: 100 }]], user(`followers(first: 100) { ${names} }`)],
  'texts of a search for 20': [
    1,
    [['tweet/advanced_search', { q: 'the', count: 20 }]],
    `{ searchTweets(q: "the", first: 20) { ${texts} } }`,
  ],
  'search for 20, with authors': [
    1,
    [['tweet/advanced_search', { q: 'the', count: 20 }]],
    `{ searchTweets(q: "the", first: 20) { ${withAuthors} } }`,
  ],
  'a thread: a tweet and its replies, with authors': [
    2,
    [
      ['tweet/detail', byTweet],
      ['tweet/replies', { ...byTweet, count: 20 }],
    ],
    tweet(`text author { userName name } replies(first: 20) { ${withAuthors} }`),
  ],
  'retweeters of a tweet': [2, [['tweet/retweeters', { ...byTweet, count: 100 }]], tweet(`retweeters { ${names} }`)],
  'members of a list': [
    1,
    [['list/members', { listId: shared.list, count: 100 }]],
    `{ list(listId: "${shared.list}") { members(first: 100) { ${names} } } }`,
  ],
  'bookmarks, with authors': [1, [['user/bookmarks', { count: 20 }]], `{ bookmarks(first: 20) { ${withAuthors} } }`],
};

interface Cost {
  requests: number;
  posts: number;
  users: number;
}

/** Returns what has been asked of the platform so far. */
async function spent(): Promise<Cost> {
  const text = await (await fetch(new URL('/metrics', baseUrl))).text();
  const sum = (name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(name))
      .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
  const dollars = (priceClass: string) => sum(`postern_platform_cost_dollars_total{class="${priceClass}"}`);
  return {
    requests: sum('postern_platform_requests_total'),
    posts: Math.round(dollars('post') / 0.005),
    users: Math.round(dollars('user') / 0.01),
  };
}

async function during(run: () => Promise<void>): Promise<Cost> {
  const before = await spent();
  await run();
  const { requests, posts, users } = await spent();
  return { requests: requests - before.requests, posts: posts - before.posts, users: users - before.users };
}

/** Returns the number of different values of a field anywhere in an answer. */
const countOf = (answer: unknown, field: string) =>
  new Set(Array.from(JSON.stringify(answer).matchAll(new RegExp(`"${field}":"([^"]+)"`, 'g')), ([, value]) => value))
    .size;

const priceOf = ({ posts, users }: Cost) => posts * 0.005 + users * 0.01;
const shown = (cost: Cost) => `${cost.requests}, ${cost.posts} + ${cost.users}, ${priceOf(cost).toFixed(3)}`;

test('typical reads by GraphQL cost at most twice the least at X, and print what they cost', async () => {
  const lines: string[] = [];
  for (const [name, [requests, calls, document]] of Object.entries(tasks)) {
    const byRest = await during(async () => {
      for (const [wanted, input] of calls) {
        const action = actions.find((each) => each.name === wanted);
        expect((action && (await rest.call(action, input)))?.body.error, wanted).toBeNull();
      }
    });
    let least: Cost = { requests, posts: 0, users: 0 };
    const byGraphql = await during(async () => {
      const { data, errors } = await graphql.ask(document);
      expect(errors).toEqual([]);
      least = { requests, posts: countOf(data, 'tweetId'), users: countOf(data, 'userName') };
    });
    expect(priceOf(byGraphql), name).toBeLessThanOrEqual(2 * priceOf(least));
    lines.push(`| ${name} | ${shown(byRest)} | ${shown(byGraphql)} | ${shown(least)} |`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
});
