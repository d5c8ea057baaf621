import { describe, expect, test } from 'vitest';
import { globalId, useCallCounts } from './call-count-fixture.ts';

const fixture = await useCallCounts();
const expectShape = fixture.expectShape;
const authors = [await fixture.sandbox.mint(), await fixture.sandbox.mint(), await fixture.sandbox.mint()];
const [first = '', second = '', third = ''] = authors.map(({ authToken }) => authToken);
for (let i = 0; i < 20; i++) await fixture.post([first, second, third][i % 3] ?? '', `A quokka, number ${i}`);
const parent = await fixture.post(first, 'What began it');
const reply = await fixture.post(second, 'What followed', { reply_to_tweet_id: parent });
const quoted = await fixture.post(first, 'In the middle', { quote_tweet_id: parent });
const quoting = await fixture.post(second, 'Around it', { quote_tweet_id: quoted });

const quokkas = (selection: string) => `{ searchTweets(q: "quokka", first: 20) { nodes { ${selection} } } }`;

describe('a page of 20 tweets by 3 authors', () => {
  test('asks for nothing else where the authors carry what is asked for', async () => {
    const carried = 'userName followersCount favouritesCount statusesCount mediaCount platformUrl';
    const { data } = await expectShape(quokkas(`author { ${carried} }`), { quoted: 1, asked: { searchPostsAll: 1 } });
    expect(data.searchTweets.nodes).toHaveLength(20);
  });

  test.each(['protected', 'pinnedTweetIds', 'listedCount', 'protected listedCount name'])(
    'asks for 3 profiles for %s',
    async (missing) => {
      await expectShape(quokkas(`author { ${missing} }`), {
        quoted: 21,
        asked: { searchPostsAll: 1, getUsersByIds: 1 },
      });
    },
  );

  test('asks for no more where authors are reached under several names', async () => {
    const twice = quokkas('a: author { protected } b: author { listedCount }');
    await expectShape(twice, { quoted: 41, asked: { searchPostsAll: 1, getUsersByIds: 1 } });
  });

  test('asks for 3 pages of their tweets', async () => {
    const nested = quokkas('author { tweets(first: 2) { nodes { text } } }');
    await expectShape(nested, { quoted: 21, asked: { searchPostsAll: 1, getUsersPosts: 3 } });
  });
});

describe('a list of users', () => {
  const followers = (fields: string) =>
    `{ user(userName: "grace") { followers(first: 5) { edges { node { ${fields} } } } } }`;

  test('asks for nothing else where the cards carry what is asked for', async () => {
    const once = { getUsersByUsername: 1, getUsersFollowers: 1 };
    await expectShape(followers('protected statusesCount listedCount createdAt'), { quoted: 2, asked: once });
  });

  test('asks for the profile of each where a field is missing', async () => {
    const asked = { getUsersByUsername: 1, getUsersFollowers: 1, getUsersByIds: 1 };
    await expectShape(followers('favouritesCount mediaCount'), { quoted: 7, asked });
  });

  test('of somebody’s list is free to name, and one call to read', async () => {
    const { listId } = fixture.service.demo;
    await expectShape(`{ list(listId: "${listId}") { listId id } }`, { quoted: 0, asked: {} });
    const members = `{ list(listId: "${listId}") { members(first: 3) { nodes { userName } } } }`;
    await expectShape(members, { quoted: 1, asked: { getListsMembers: 1 } });
  });
});

describe('the same user', () => {
  test('is asked for once, as the author of their own tweets', async () => {
    const query = '{ user(userName: "grace") { tweets(first: 5) { nodes { author { listedCount } } } } }';
    await expectShape(query, { quoted: 7, asked: { getUsersByUsername: 1, getUsersPosts: 1 } });
  });

  test('is asked for once, as the actor and as the author of their own tweets', async () => {
    const query = '{ viewer { protected tweets(first: 5) { nodes { author { protected } } } } }';
    await expectShape(query, { quoted: 7, asked: { getUsersMe: 1, getUsersPosts: 1 } });
  });

  test('is asked for once, by id, by global id, among others, and as an author', async () => {
    const query = `query ($userId: String!, $id: ID!) {
      a: user(userId: $userId) { name }
      b: user(userId: $userId) { listedCount tweets(first: 3) { nodes { author { protected } } } }
      c: node(id: $id) { id ... on User { protected } }
      d: nodes(ids: [$id, $id]) { ... on User { userName } }
    }`;
    const variables = { userId: fixture.graceId, id: globalId('User', fixture.graceId) };
    const { data } = await expectShape(query, { quoted: 8, asked: { getUsersById: 1, getUsersPosts: 1 } }, variables);
    expect(data.d).toEqual([{ userName: 'grace' }, { userName: 'grace' }]);
  });
});

describe('the same thing under several names', () => {
  test('runs once with the same arguments, and again with others', async () => {
    const two = (q: string) =>
      `{ a: searchTweets(q: "quokka", first: 2) { nodes { text } } b: searchTweets(q: "${q}", first: 2) { nodes { tweetId } } }`;
    await expectShape(two('quokka'), { quoted: 2, asked: { searchPostsAll: 1 } });
    await expectShape(two('coffee'), { quoted: 2, asked: { searchPostsAll: 2 } });
  });

  test('runs once among nodes', async () => {
    const [tweet, user] = [globalId('Tweet', parent), globalId('User', fixture.graceId)];
    const ids = [tweet, user, tweet, user, globalId('List', fixture.service.demo.listId), tweet];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const { data } = await expectShape(query, { quoted: 2, asked: { getPostsById: 1, getUsersById: 1 } }, { ids });
    const types = data.nodes.map(({ __typename: name }: { __typename: string }) => name);
    expect(types).toEqual(['Tweet', 'User', 'Tweet', 'User', 'List', 'Tweet']);
  });
});

test('ids that name nothing fail alone, and cost nothing', async () => {
  const unknown = [globalId('Tweet', '1'), globalId('Webhook', '1'), globalId('User', 'ada')];
  const ids = [globalId('Tweet', parent), 'made-up', ...unknown];
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }';
  const answer = await fixture.ada.ask(query, { ids });
  expect(answer.data.nodes).toEqual([{ __typename: 'Tweet' }, null, null, null, null]);
  const codes = Object.fromEntries(answer.errors.map(({ path, extensions }) => [path?.[1], extensions.code]));
  expect(codes).toEqual({ 1: 'BAD_USER_INPUT', 2: 'NOT_FOUND', 3: 'BAD_USER_INPUT', 4: 'BAD_USER_INPUT' });
  expect(answer.extensions.cost).toMatchObject({ quoted: '0.001', actual: '0.001' });
  const many = Array.from({ length: 101 }, () => globalId('List', '1'));
  const refused = await fixture.ada.ask(query, { ids: many });
  expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'ids' } }]);
});

describe('a tweet that another names', () => {
  const ask = (id: string, selection: string) => `{ tweet(tweetId: "${id}") { ${selection} } }`;

  test('is free where only its id is asked for', async () => {
    const document = ask(reply, 'inReplyTo { id tweetId __typename }');
    const { data } = await expectShape(document, { quoted: 1, asked: { getPostsById: 1 } });
    expect(data.tweet.inReplyTo).toEqual({ id: globalId('Tweet', parent), tweetId: parent, __typename: 'Tweet' });
  });

  test('is one call where more is asked for, and none where there is no such tweet', async () => {
    await expectShape(ask(reply, 'inReplyTo { text }'), { quoted: 2, asked: { getPostsById: 2 } });
    await expectShape(ask(parent, 'inReplyTo { text }'), { quoted: 2, asked: { getPostsById: 1 } });
  });

  test('comes along where it is quoted, but not what that quotes', async () => {
    await expectShape(ask(quoting, 'quotedTweet { text author { name } }'), { quoted: 1, asked: { getPostsById: 1 } });
    const deep = ask(quoting, 'quotedTweet { quotedTweet { tweetId text } }');
    const { data } = await expectShape(deep, { quoted: 2, asked: { getPostsById: 2 } });
    expect(data.tweet.quotedTweet.quotedTweet).toEqual({ tweetId: parent, text: 'What began it' });
  });
});

test('fields that a directive leaves out are neither asked for nor quoted', async () => {
  const query = `query ($no: Boolean!) {
    user(userName: "grace") { name followers(first: 50) @include(if: $no) { nodes { userName } } }
    searchTweets(q: "quokka") @skip(if: true) { nodes { text } }
  }`;
  await expectShape(query, { quoted: 1, asked: { getUsersByUsername: 1 } }, { no: false });
  const with_ = { getUsersByUsername: 1, getUsersFollowers: 1 };
  await expectShape(query, { quoted: 2, asked: with_ }, { no: true });
});

test('fragments of one place count once', async () => {
  const query = `{ ...A ...A ... on Query { user(userName: "grace") { ...B } } }
    fragment A on Query { user(userName: "grace") { ...B about { createdVia } } }
    fragment B on User { about { accountBasedIn } tweets(first: 4) { nodes { author { protected } } } }`;
  await expectShape(query, { quoted: 7, asked: { getUsersByUsername: 1, getUserAbout: 1, getUsersPosts: 1 } });
});

test('the account, the limits and the schema ask the platform for nothing', async () => {
  const query = `{ account { balance held apiKeys { name } usage { calls } payments { nodes { amount } } }
    rateLimit { limit cost balance } __schema { types { name } } }`;
  await expectShape(query, { quoted: 0, asked: {} });
});
