import { describe, expect, test } from 'vitest';
import { type Account, type Json, missing, openSandbox } from './harness.ts';

const sandbox = await openSandbox();
const { ada, grace, linus, post, remove, set, clear } = sandbox;

const posted = async (text: string, as: Account = ada, more: object = {}): Promise<string> =>
  (await sandbox.tweet(text, as, more)).body.data.id;
const listed = async (path: string, as?: Account): Promise<string[]> =>
  ((await sandbox.x(path, as)).body.data ?? []).map(({ id }: Json) => id);
const bookmarks = (as: Account) => `/2/users/${as.userId}/bookmarks`;

describe.each([
  ['likes', 'liked', 'like_count', (as: Account) => `/2/users/${as.userId}/liked_tweets`],
  ['retweets', 'retweeted', 'repost_count', (as: Account) => `/2/users/${as.userId}/tweets`],
  ['bookmarks', 'bookmarked', 'bookmark_count', bookmarks],
])('%s', (part, done, count, listOf) => {
  test('count once each, however often they are repeated', async () => {
    const id = await posted(`Something for ${part}`, grace);
    const me = await sandbox.mint();
    for (const holds of [true, true, false, false, true]) {
      const reply = await (holds ? set : clear)(part, id, me);
      expect(reply.body.data).toMatchObject({ [done]: holds });
      expect((await post(id)).public_metrics[count]).toBe(Number(holds));
      expect(await listed(listOf(me), me)).toHaveLength(Number(holds));
    }
  });

  test('need a post that the actor may see, and the actor in the path', async () => {
    const shy = await posted(`Not for all ${part}`, linus);
    const gone = await posted(`Not for long ${part}`);
    await remove(gone);
    for (const act of [set, clear]) {
      expect(missing(await act(part, shy))).toEqual([200, 'not-authorized-for-resource', 'protected']);
      expect(missing(await act(part, gone))).toEqual([200, 'resource-not-found', 'deleted']);
      expect(missing(await act(part, '12'))).toEqual([200, 'resource-not-found', null]);
      const foreign = await act(part, '12', { ...ada, userId: grace.userId });
      expect([foreign.status, foreign.body.errors[0].parameters]).toEqual([400, { id: [] }]);
    }
  });
});

test("a protected author's post can be reposted by the author alone", async () => {
  const shy = await sandbox.mint({ protected: true });
  const id = await posted('Between us', shy);
  await set('following', shy.userId, grace);
  await sandbox.control('follow-requests/accept', { target: shy.userId, follower: 'grace' });
  expect((await set('retweets', id, grace)).status).toBe(403);
  expect((await set('bookmarks', id, grace)).status).toBe(200);
  expect((await set('retweets', id, shy)).body.data.retweeted).toBe(true);
  expect(await listed(bookmarks(grace), grace)).toContain(id);
  await clear('following', shy.userId, grace);
  expect(await listed(bookmarks(grace), grace)).not.toContain(id);
});

test('a repost has an id of its own, which stands for the post and can be deleted', async () => {
  const id = await posted('Worth repeating', grace);
  const { rest_id: repost } = (await set('retweets', id)).body.data;
  expect(repost).not.toBe(id);
  expect((await post(repost)).referenced_posts).toEqual([{ type: 'retweeted', id }]);
  await set('likes', repost, await sandbox.mint());
  expect((await post(id)).public_metrics).toMatchObject({ like_count: 1, repost_count: 1 });
  expect((await remove(repost, linus)).status).toBe(403);
  expect((await remove(repost)).body.data).toEqual({ deleted: true });
  expect((await post(id)).public_metrics).toMatchObject({ like_count: 1, repost_count: 0 });
});

describe('a deleted post', () => {
  test('is removed from every list and counter, and quotes show that it is gone', async () => {
    const me = await sandbox.mint();
    const root = await posted('The root of it', grace);
    const id = await posted('Ephemera zyxw', me, { replyTo: root, quoteOf: root });
    const quoting = await posted('Look at this', ada, { quoteOf: id });
    await set('bookmarks', id);
    expect((await post(root)).public_metrics).toMatchObject({ reply_count: 1, quote_count: 1 });
    const lists = [
      '/2/tweets/search/recent?query=zyxw',
      `/2/users/${me.userId}/tweets`,
      `/2/tweets/search/all?query=in_reply_to_tweet_id:${root}`,
      bookmarks(ada),
    ];
    for (const path of lists) expect(await listed(path), path).toContain(id);

    expect((await remove(id)).body).toMatchObject({ status: 403, type: 'about:blank' });
    expect((await remove(id, me)).body.data).toEqual({ deleted: true });
    const gone = [200, 'resource-not-found', 'deleted'];
    for (const path of [`/2/tweets/${id}`, `/2/tweets/${id}/quote_tweets`])
      expect(missing(await sandbox.x(path, me))).toEqual(gone);
    expect(missing(await remove(id, me))).toEqual(gone);
    for (const path of lists) expect(await listed(path), path).not.toContain(id);
    expect((await post(root)).public_metrics).toMatchObject({ reply_count: 0, quote_count: 0 });
    const { body } = await sandbox.x(`/2/tweets/${quoting}?expansions=referenced_posts`);
    expect(body.errors).toMatchObject([{ resource_id: id, reason: 'deleted' }]);
    expect((await sandbox.user(me.userName, me)).public_metrics.post_count).toBe(0);
    expect((await sandbox.tweet('Ephemera zyxw', me, { replyTo: root, quoteOf: root })).status).toBe(201);
  });

  test('is not deleted again by a repeated idempotency token', async () => {
    const id = await posted('Deleted but once');
    const other = await posted('Another one');
    const headers = { 'idempotency-token': 'delete-1' };
    for (let time = 0; time < 2; time++) expect((await remove(id, ada, headers)).body.data).toEqual({ deleted: true });
    expect((await remove(other, ada, headers)).status).toBe(409);
    expect((await sandbox.tweet('With the same token', ada, {}, headers)).status).toBe(409);
    // X knows no such header, so it has no effect without the extensions.
    const plain = { ...headers, 'x-sandbox-extensions': '' };
    expect((await remove(other, ada, plain)).body.data).toEqual({ deleted: true });
    expect(missing(await remove(other, ada, plain))).toEqual([200, 'resource-not-found', null]);
  });
});

test('a list shows as many replies as are counted, for every reader', async () => {
  const shy = await sandbox.mint({ protected: true });
  const root = await posted('Any thoughts?', grace);
  const open = await posted('Some', ada, { replyTo: root });
  const closed = await posted('Some, quietly', shy, { replyTo: root });
  await posted('On another level', grace, { replyTo: open });
  for (const [as, expected] of [
    [ada, [open]],
    [shy, [closed, open]],
  ] as const) {
    expect(await listed(`/2/tweets/search/all?query=in_reply_to_tweet_id:${root}`, as)).toEqual(expected);
    expect((await post(root, as)).public_metrics.reply_count).toBe(expected.length);
  }
});
