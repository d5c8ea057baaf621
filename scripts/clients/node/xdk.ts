// X's own client for TypeScript against the sandbox, which serves X's API.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { ApiError, Client } from '@xdevplatform/xdk';
import { actor, otherUser, setting, step } from './scenario.ts';

const { users, posts, lists, media, articles } = new Client({ baseUrl: setting('X_URL'), accessToken: actor });
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
await step('media in segments', async () => {
  // 1 by 1 pixel.
  const gif = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
  const begun = await media.initializeUpload({
    mediaType: 'image/gif',
    mediaCategory: 'tweet_gif',
    totalBytes: gif.length,
  });
  const id = begun.data?.id ?? '';
  for (const [segmentIndex, part] of [gif.subarray(0, 20), gif.subarray(20)].entries())
    await media.appendUpload(id, { media: part.toString('base64'), segmentIndex });
  let info = (await media.finalizeUpload(id)).data?.processingInfo;
  while (info?.state !== 'succeeded') {
    await setTimeout(1_000 * (info?.checkAfterSecs ?? 1));
    info = (await media.getUploadStatus(id)).data?.processingInfo;
  }
});
await step('an article: a draft, and its post', async () => {
  const styles = [{ offset: 5, length: 8, style: 'bold' as const }];
  const blocks = [{ type: 'unstyled' as const, text: 'They remember', inlineStyleRanges: styles }];
  const draft = await articles.articleCreateDraft({ title: 'On looms', contentState: { blocks, entities: [] } });
  const published = await articles.articlePublish(draft.data?.id ?? '');
  const { data } = await posts.getById(published.data?.postId ?? '', { postFields: ['article'] });
  assert.deepEqual(data?.article, { title: 'On looms', plainText: 'They remember' });
});
await step('an error by its status', async () => {
  await assert.rejects(posts.searchRecent('', {}), (error) => error instanceof ApiError && error.status === 400);
});
