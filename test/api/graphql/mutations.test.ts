import { beforeEach, describe, expect, test } from 'vitest';
import { restingBalance } from '../../support/refusal.ts';
import { useCallCounts } from './call-count-fixture.ts';

let count = 0;

const fixture = await useCallCounts({ PLATFORM_TIMEOUT_MS: '400' });
beforeEach(() => fixture.sandbox.clearFaults());

const { newCaller: caller } = fixture;

const newText = () => `A mutation, number ${++count}`;
const create = (text: string, selection = 'id') => `createTweet(input: { text: "${text}" }) { ${selection} }`;

describe('the mutations of a request', () => {
  test('run in order, one after the other', async () => {
    const { graphql, rest, userName } = await caller();
    const texts = Array.from({ length: 8 }, newText);
    // Each request is slower than the next one.
    for (let i = 0; i < texts.length; i++) {
      const fault = { kind: 'latency', ms: 40 * ((texts.length - i) % 3) };
      await fixture.service.addFault(fault, { operation: 'createPosts' });
    }
    const query = `mutation { ${texts.map((text, i) => `t${i}: ${create(text)}`).join(' ')} }`;
    const answer = await graphql.ask(query);
    expect(answer.errors).toEqual([]);
    expect(Object.keys(answer.data)).toEqual(texts.map((_text, i) => `t${i}`));
    const { tweets } = (await rest.get('/user/tweets_and_replies', { userName })).body.data;
    expect((tweets as { text: string }[]).map(({ text }) => text)).toEqual([...texts].reverse());
    expect(answer.headers.get('x-credits-charged')).toBe('0.008');
  });

  test('see the effects of earlier ones', async () => {
    const { graphql, rest } = await caller();
    const { id } = (await rest.post('/tweet/create', { text: newText() })).body.data;
    const input = `input: { tweetId: "${id}" }`;
    const { data, errors } = await graphql.ask(`mutation {
      like: likeTweet(${input}) { liked tweet { likeCount } }
      gone: deleteTweet(${input}) { deleted }
      again: likeTweet(${input}) { liked }
    }`);
    expect(data).toEqual({ like: { liked: true, tweet: { likeCount: 1 } }, gone: { deleted: true }, again: null });
    expect(errors).toMatchObject([{ path: ['again'], extensions: { code: 'NOT_FOUND', status: 404 } }]);
  });

  test('fail alone: siblings keep their results, and are what is charged', async () => {
    const { graphql, rest } = await caller();
    const [first, last] = [newText(), newText()];
    const answer = await graphql.ask(`mutation {
      a: ${create(first, 'text')}
      b: likeTweet(input: { tweetId: "1" }) { liked }
      c: ${create('')}
      d: ${create(last, 'text')}
    }`);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ a: { text: first }, b: null, c: null, d: { text: last } });
    expect(answer.errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['b'], 'NOT_FOUND'],
      [['c'], 'BAD_USER_INPUT'],
    ]);
    expect(answer.extensions).toMatchObject({ cost: { quoted: '0.003', actual: '0.002' } });
    expect(answer.extensions.credits.actions).toEqual([{ name: 'tweet/create', calls: 2, charged: '0.002' }]);
    expect(await restingBalance(rest)).toBe('0.998');
  });

  test.each([
    [{ kind: 'status', status: 500 }, 'PLATFORM_UNAVAILABLE'],
    [{ kind: 'hang' }, 'PLATFORM_TIMEOUT'],
    [{ kind: 'rate_limit', retry_after: 3 }, 'RATE_LIMITED'],
  ])('leave the first one’s result where the second fails: %o', async (fault, code) => {
    const { graphql, rest } = await caller();
    await fixture.service.addFault(fault, { operation: 'followUser' });
    const text = newText();
    const answer = await graphql.ask(
      `mutation { a: ${create(text, 'text')} b: followUser(input: { userId: "${fixture.graceId}" }) { following } }`,
    );
    expect(answer.data).toEqual({ a: { text }, b: null });
    expect(answer.errors).toMatchObject([{ path: ['b'], extensions: { code } }]);
    expect(await restingBalance(rest)).toBe('0.999');
    expect(await fixture.sandbox.tweets()).toContain(text);
  });

  test('keep their effect if a later read fails', async () => {
    const { graphql, rest } = await caller();
    await fixture.service.addFault({ kind: 'status', status: 500 }, { operation: 'getPostsById' });
    const text = newText();
    const answer = await graphql.ask(`mutation { ${create(text, 'text tweet { likeCount }')} }`);
    expect(answer.data).toEqual({ createTweet: { text, tweet: null } });
    expect(answer.errors).toMatchObject([{ path: ['createTweet', 'tweet'] }]);
    expect(answer.extensions.cost).toMatchObject({ quoted: '0.002', actual: '0.001' });
    expect(await restingBalance(rest)).toBe('0.999');
  });
});

describe('of a query', () => {
  test('one failing field nulls only itself', async () => {
    await fixture.service.addFault({ kind: 'status', status: 500 }, { operation: 'getUserAbout', times: null });
    const answer = await fixture.ada.ask(`{
      viewer { userName about { createdVia } followers(first: 2) { nodes { userName about { createdVia } } } }
      user(userName: "nobody_here") { name }
      searchTweets(q: "from:grace", first: 1) { nodes { author { userName } } }
    }`);
    expect(answer.status).toBe(200);
    const { viewer, user, searchTweets } = answer.data;
    const followers = { nodes: [{ about: null }, { about: null }] };
    expect(viewer).toMatchObject({ userName: 'ada', about: null, followers });
    expect(user).toBeNull();
    expect(searchTweets.nodes).toEqual([{ author: { userName: 'grace' } }]);
    expect(answer.errors.map(({ path }) => path?.join('.')).sort()).toEqual([
      'user',
      'viewer.about',
      'viewer.followers.nodes.0.about',
      'viewer.followers.nodes.1.about',
    ]);
    expect(answer.extensions.credits.charged).toBe('0.003');
  });
});

test('a variable that is null where the input must be given is the caller’s mistake', async () => {
  const { graphql, rest } = await caller();
  const input = 'mutation ($input: LikeTweetInput = { tweetId: "1" }) { likeTweet(input: $input) { liked } }';
  const id = 'mutation ($id: String = "1") { likeTweet(input: { tweetId: $id }) { liked } }';
  for (const [query, variables] of [
    [input, { input: null }],
    [id, { id: null }],
  ] as const) {
    const answer = await graphql.ask(query, variables);
    expect(answer.errors).toMatchObject([{ path: ['likeTweet'], extensions: { code: 'BAD_USER_INPUT', status: 400 } }]);
    expect(answer.extensions.cost).toMatchObject({ quoted: '0', actual: '0' });
  }
  expect(await restingBalance(rest)).toBe('1');
});
