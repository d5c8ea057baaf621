// X's own client for TypeScript against the sandbox, which serves X's API.
import assert from 'node:assert/strict';
import { ApiError, Client } from '@xdevplatform/xdk';
import { actor, otherUser, setting, step } from './scenario.ts';

const { users, posts, lists } = new Client({ baseUrl: setting('X_URL'), accessToken: actor });
let me = '';
let other = '';
let found = '';

/** Checks a page of different items, and returns their ids. */
function idsOf(page: { data?: readonly { id?: string }[]; meta?: { resultCount?: number } }): string[] {
  const ids = (page.data ?? []).map(({ id }) => id ?? '');
  assert.ok(ids.length > 0 && !ids.includes(''));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(page.meta?.resultCount, ids.length);
  return ids;
}

await step('me', async () => {
  const { data } = await users.getMe({ userFields: ['created_at', 'public_metrics'], expansions: ['pinned_post_id'] });
  assert.ok(data?.publicMetrics);
  me = data.id ?? '';
});
await step('a user by name', async () => {
  const { data } = await users.getByUsername(otherUser, { userFields: ['description', 'verified_type'] });
  assert.equal(data?.username, otherUser);
  other = data.id ?? '';
});
await step('search with two pages', async () => {
  const options = { maxResults: 10, postFields: ['created_at' as const], expansions: ['author_id' as const] };
  const first = await posts.searchRecent('the', options);
  assert.ok(first.meta?.nextToken);
  const second = await posts.searchRecent('the', { ...options, nextToken: first.meta.nextToken });
  assert.ok(first.includes?.users?.length);
  assert.equal(new Set([...idsOf(first), ...idsOf(second)]).size, 20);
  [found = ''] = idsOf(second);
});
await step('a timeline', async () => {
  idsOf(await users.getTimeline(me, { expansions: ['author_id', 'referenced_posts', 'attachments.media_keys'] }));
});
await step('followers', async () => {
  idsOf(await users.getFollowers(other, { maxResults: 20, userFields: ['created_at'] }));
});
await step('members of a list', async () => {
  idsOf(await lists.getMembers(setting('X_LIST')));
});
await step('bookmarks', async () => {
  assert.equal((await users.createBookmark(me, { tweetId: found })).data?.bookmarked, true);
  const page = await users.getBookmarks(me, { postFields: ['created_at', 'public_metrics'] });
  assert.equal(idsOf(page)[0], found);
  assert.equal((await users.deleteBookmark(me, found)).data?.bookmarked, false);
});
await step('create, quote and delete', async () => {
  const text = `Written by X's own client for TypeScript at ${Date.now()}`;
  const created = await posts.create({ text });
  assert.equal(created.data?.text, text);
  const quote = await posts.create({ text: 'A quote', quoteTweetId: created.data.id });
  const page = await posts.getQuoted(created.data.id);
  assert.deepEqual(idsOf(page), [quote.data?.id]);
  for (const { data } of [quote, created]) assert.equal((await posts.delete(data?.id ?? '')).data?.deleted, true);
});
await step('like and repost', async () => {
  assert.equal((await users.likePost(me, { tweetId: found })).data?.liked, true);
  assert.equal((await users.unlikePost(me, found)).data?.liked, false);
  assert.notEqual((await users.repostPost(me, { tweetId: found })).data?.restId, found);
  assert.equal((await users.unrepostPost(me, found)).data?.retweeted, false);
});
await step('follow', async () => {
  assert.equal((await users.unfollowUser(me, other)).data?.following, false);
  assert.deepEqual((await users.followUser(me, { targetUserId: other })).data, {
    following: true,
    pendingFollow: false,
  });
});
await step('an error by its status', async () => {
  await assert.rejects(posts.searchRecent('', {}), (error) => error instanceof ApiError && error.status === 400);
});
