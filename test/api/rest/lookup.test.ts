import { describe, expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';
import { globalId } from '../graphql/call-count-fixture.ts';

const { service, ada, graphql, sandbox, newCaller } = await useService();
const [, grace, linus] = service.demo.accounts;
const post = async (text: string) => String((await ada.post('/tweet/create', { text })).body.data['id']);
const [first, second, gone] = [
  await post('One of several'),
  await post('Another of several'),
  await post('Not for long'),
];
await ada.post('/tweet/delete', { tweet_id: gone });
const reason = expect.stringMatching(/^[a-z_]+$/);

test('GET /tweets: returns tweets in the order of the ids, each once, and the missing ones, for one call', async () => {
  const answer = await ada.get('/tweets', { ids: [second, gone, first, second, '1'].join(',') });
  expect(answer.status, answer.body.error ?? '').toBe(200);
  const { tweets, missing } = answer.body.data as { tweets: { id: string }[]; missing: unknown };
  expect(tweets.map(({ id }) => id)).toEqual([second, first]);
  expect(missing).toEqual([
    { id: gone, reason },
    { id: '1', reason },
  ]);
  expect(answer.headers.get('x-credits-charged')).toBe('0.001');
  expect(tweets[1]).toEqual((await ada.get('/tweet/detail', { tweet_id: first })).body.data);
});

test('GET /users: returns profiles by id or by name, without regard to case', async () => {
  const byId = await ada.get('/users', { ids: `${linus.userId},${grace.userId},1` });
  const byName = await ada.get('/users', { userNames: '@linus,GRACE,grace,nobody_has_this_name' });
  const names = (data: unknown) => (data as { users: { userName: string }[] }).users.map(({ userName }) => userName);
  expect(names(byId.body.data)).toEqual(['linus', 'grace']);
  expect(names(byName.body.data)).toEqual(['linus', 'grace']);
  expect(byId.body.data['missing']).toEqual([{ id: '1', reason }]);
  expect(byName.body.data['missing']).toEqual([{ userName: 'nobody_has_this_name', reason }]);
});

describe('a look-up', () => {
  const many = Array.from({ length: 101 }, (_, at) => String(at + 1));
  test.each([
    ['/tweets', {}, /ids/],
    ['/tweets', { ids: '' }, /ids: must not be empty/],
    ['/tweets', { ids: `${first},x` }, /ids\[1\]: must be a numeric id/],
    ['/tweets', { ids: many.join(',') }, /ids: must have at most 100 different values/],
    ['/users', {}, /ids or userNames/],
    ['/users', { ids: '1', userNames: 'grace' }, /only one of ids and userNames/],
    ['/users', { userNames: 'grace, ada' }, /userNames\[1\]: must be a screen name/],
  ])('%s %j is refused with 400', async (path, query, message) => {
    const { status, body } = await ada.get(path, query);
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
  });

  test('accepts 100 different ids', async () => {
    const { status, body } = await ada.get('/tweets', { ids: [...many.slice(1), '2'].join(',') });
    expect([status, body.data['missing']]).toEqual([200, expect.objectContaining({ length: 100 })]);
  });
});

describe('GraphQL', () => {
  test('nodes are looked up together, each tweet of a list is read once, and missing ones fail alone', async () => {
    const ids = [first, second, gone].map((id) => globalId('Tweet', id));
    const query = `query ($ids: [ID!]!, $plain: [String!]!) {
      nodes(ids: $ids) { ... on Tweet { text } }
      tweets(ids: $plain) { tweets { text } missing { tweetId reason } }
    }`;
    const { graphql: other } = await newCaller();
    const answer = await other.ask(query, { ids, plain: [first, gone] });
    expect(answer.data).toMatchObject({
      nodes: [{ text: 'One of several' }, { text: 'Another of several' }, null],
      tweets: { tweets: [{ text: 'One of several' }], missing: [{ tweetId: gone }] },
    });
    expect(answer.errors).toMatchObject([{ path: ['nodes', 2], extensions: { code: 'NOT_FOUND' } }]);
    expect(answer.extensions.credits.actions).toEqual([{ name: 'tweet/lookup', calls: 2, charged: '0.002' }]);
  });

  test('a repost is looked up as the tweet that it repeats', async () => {
    const { userId, authToken } = await sandbox.mint();
    await ada.with({ authToken }).post('/tweet/retweet', { tweet_id: second });
    const timeline = await fetch(`${service.demo.sandboxUrl}/2/users/${userId}/tweets`, {
      headers: { authorization: `Bearer ${authToken}` },
    });
    const [repost = { id: '' }] = ((await timeline.json()) as { data: { id: string }[] }).data;
    const ids = [first, repost.id, gone, second].map((id) => globalId('Tweet', id));
    const answer = await graphql.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Tweet { tweetId isReply } } }', {
      ids,
    });
    expect(repost.id).not.toBe(second);
    expect(answer.data.nodes).toMatchObject([{ tweetId: first }, { tweetId: second }, null, { tweetId: second }]);
    expect(answer.extensions.cost).toMatchObject({ quoted: '0.001', actual: '0.001' });
  });

  test('a reply on a page of tweets finds the tweet that it answers on the same page', async () => {
    await ada.post('/tweet/create', { text: 'A quagga answers', reply_to_tweet_id: await post('A quagga asks') });
    const query = '{ searchTweets(q: "quagga", first: 5) { nodes { text inReplyTo { text author { userName } } } } }';
    const [{ data }, asked] = await sandbox.requestsDuring(() => graphql.ask(query));
    expect(data.searchTweets.nodes).toMatchObject([
      { text: 'A quagga answers', inReplyTo: { text: 'A quagga asks' } },
      { text: 'A quagga asks', inReplyTo: null },
    ]);
    expect(asked).toEqual({ searchPostsAll: 1 });
  });
});
