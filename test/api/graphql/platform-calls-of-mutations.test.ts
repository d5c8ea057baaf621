import { expect, test } from 'vitest';
import { useCallCounts } from './call-count-fixture.ts';

const fixture = await useCallCounts();
const tweetId = await fixture.post(fixture.service.demo.accounts[1].authToken, 'What mutations are about');
// The first write of a token about a tweet reads the id of the actor.
await fixture.rest.post('/tweet/unlike', { tweet_id: tweetId });

test('the changed tweet is free if the response has the selected fields, otherwise one call', async () => {
  const like = (selection: string) => `mutation ($tweetId: String!) {
    likeTweet(input: { tweetId: $tweetId }) { liked tweet { ${selection} } }
  }`;
  await fixture.expectShape(like('id tweetId'), { quoted: 1, asked: { likePost: 1 } }, { tweetId });
  await fixture.expectShape(like('likeCount'), { quoted: 2, asked: { likePost: 1, getPostsById: 1 } }, { tweetId });
});

test('a tweet that was posted knows its text and time', async () => {
  const create = (text: string, selection: string) =>
    `mutation { createTweet(input: { text: "${text}" }) { id tweet { ${selection} } } }`;
  const known = create('Known at once', 'id tweetId text createdAt');
  const { data } = await fixture.expectShape(known, { quoted: 1, asked: { createPosts: 1 } });
  expect(data.createTweet.tweet).toMatchObject({ tweetId: data.createTweet.id, text: 'Known at once' });
  const more = create('Asked for', 'text author { userName }');
  await fixture.expectShape(more, { quoted: 2, asked: { createPosts: 1, getPostsById: 1 } });
});

test('a user who is followed is known by name', async () => {
  const { userId } = await fixture.sandbox.mint();
  const follow = (selection: string) => `mutation ($userId: String!) {
    followUser(input: { userId: $userId }) { following user { ${selection} } }
  }`;
  const known = follow('id userId userName name protected __typename');
  await fixture.expectShape(known, { quoted: 1, asked: { followUser: 1, getUsersById: 1 }, charged: 1 }, { userId });
  await fixture.expectShape(
    follow('followersCount'),
    { quoted: 2, asked: { followUser: 1, getUsersById: 2 }, charged: 2 },
    { userId },
  );
});

test('a mutation invalidates earlier reads', async () => {
  const selection = '{ tweet { likeCount bookmarkCount } }';
  const query = `mutation ($input: LikeTweetInput!, $unlike: UnlikeTweetInput!, $bookmark: BookmarkTweetInput!) {
    a: likeTweet(input: $input) ${selection}
    b: unlikeTweet(input: $unlike) ${selection}
    c: bookmarkTweet(input: $bookmark) ${selection}
  }`;
  const input = { tweetId };
  const asked = { likePost: 1, unlikePost: 1, createUsersBookmark: 1, getPostsById: 3 };
  const variables = { input, unlike: input, bookmark: input };
  const { data } = await fixture.expectShape(query, { quoted: 6, asked }, variables);
  expect([data.a, data.b, data.c]).toEqual([
    { tweet: { likeCount: 1, bookmarkCount: 0 } },
    { tweet: { likeCount: 0, bookmarkCount: 0 } },
    { tweet: { likeCount: 0, bookmarkCount: 1 } },
  ]);
});

test('the same mutation under two names is performed twice', async () => {
  const query = `mutation ($input: LikeTweetInput!) { a: likeTweet(input: $input) { liked } b: likeTweet(input: $input) { liked } }`;
  await fixture.expectShape(query, { quoted: 2, asked: { likePost: 2 } }, { input: { tweetId } });
});
