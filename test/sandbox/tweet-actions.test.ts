import { describe, expect, test } from 'vitest';
import { type Account, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

const act = (method: string, id: string, what: string, as: Account = sandbox.ada) =>
  sandbox.call(method, `/api/tweets/${id}${what}`, { as });
const tweet = async (id: string, as: Account = sandbox.ada): Promise<Json> =>
  (await sandbox.get(`/api/tweets/${id}`, as)).body.tweet;
const posted = async (text: string, as: Account = sandbox.ada, more: object = {}): Promise<string> =>
  (await sandbox.tweet(text, as, more)).body.tweet.id;
const refusal = (reply: Json) => [reply.status, reply.body.problem?.code];
const listed = async (path: string, as?: Account): Promise<string[]> =>
  ((await sandbox.x(path, as)).body.data ?? []).map(({ id }: Json) => id);

describe.each([
  ['like', 'liked', 'likes'],
  ['retweet', 'retweeted', 'retweets'],
  ['bookmark', 'bookmarked', 'bookmarks'],
])('to %s', (what, done, count) => {
  test('and to undo it count once each', async () => {
    const id = await posted(`Something to ${what}`, sandbox.grace);
    for (const [method, state] of [
      ['PUT', true],
      ['PUT', true],
      ['DELETE', false],
      ['DELETE', false],
      ['PUT', true],
    ] as const) {
      const reply = await sandbox.call(method, `/api/tweets/${id}/${what}`, {
        as: sandbox.ada,
        headers: { 'idempotency-token': 'any' },
      });
      expect(reply.body).toEqual({ tweet_id: id, [done]: state });
      const seen = await tweet(id);
      expect([seen.counts[count], seen.viewer[done]]).toEqual([Number(state), state]);
    }
    expect((await tweet(id, sandbox.grace)).viewer[done]).toBe(false);
  });

  test('needs a tweet that the actor may see', async () => {
    const shy = await posted(`Not for all to ${what}`, sandbox.linus);
    const gone = await posted(`Not for long to ${what}`);
    await act('DELETE', gone, '');
    for (const method of ['PUT', 'DELETE']) {
      expect(refusal(await act(method, shy, `/${what}`))).toEqual([403, 'protected']);
      expect(refusal(await act(method, gone, `/${what}`))).toEqual([404, 'tweet_deleted']);
      const unknown = await act(method, '12', `/${what}`);
      const problem = { code: 'not_found', resource: 'tweet', id: '12' };
      expect(unknown).toMatchObject({ status: 404, body: { problem } });
    }
  });
});

test("a protected author's tweet can be retweeted by the author alone", async () => {
  const shy = await sandbox.mint({ protected: true });
  const id = await posted('Between us', shy);
  await sandbox.call('PUT', `/api/users/${shy.userId}/follow`, { as: sandbox.grace });
  await sandbox.control('follow-requests/accept', { target: shy.userId, follower: 'grace' });
  expect(refusal(await act('PUT', id, '/retweet', sandbox.grace))).toEqual([403, 'forbidden']);
  expect((await act('PUT', id, '/bookmark', sandbox.grace)).status).toBe(200);
  expect((await act('PUT', id, '/retweet', shy)).body.retweeted).toBe(true);
  expect(await listed(`/2/users/${sandbox.grace.userId}/bookmarks`, sandbox.grace)).toContain(id);
  await sandbox.call('DELETE', `/api/users/${shy.userId}/follow`, { as: sandbox.grace });
  expect(await listed(`/2/users/${sandbox.grace.userId}/bookmarks`, sandbox.grace)).not.toContain(id);
});

describe('a deleted tweet', () => {
  test('is removed from every list and counter, and quotes show a tombstone', async () => {
    const me = await sandbox.mint();
    const root = await posted('The root of it', sandbox.grace);
    const id = await posted('Ephemera zyxw', me, { reply_to_id: root, quote_of_id: root });
    const quoting = await posted('Look at this', sandbox.ada, { quote_of_id: id });
    await act('PUT', id, '/bookmark');
    expect((await tweet(root)).counts).toMatchObject({ replies: 1, quotes: 1 });
    const lists = [
      '/2/tweets/search/recent?query=zyxw',
      `/2/users/${me.userId}/tweets`,
      `/2/tweets/search/all?query=in_reply_to_tweet_id:${root}`,
      `/2/users/${sandbox.ada.userId}/bookmarks`,
    ];
    for (const path of lists) expect(await listed(path), path).toContain(id);

    expect(refusal(await act('DELETE', id, ''))).toEqual([403, 'forbidden']);
    expect((await act('DELETE', id, '', me)).body).toEqual({ tweet_id: id, deleted: true });
    expect(refusal(await act('DELETE', id, '', me))).toEqual([404, 'tweet_deleted']);
    expect(refusal(await sandbox.get(`/api/tweets/${id}`, me))).toEqual([404, 'tweet_deleted']);
    expect((await sandbox.x(`/2/tweets/${id}/quote_tweets`, me)).body.errors[0].reason).toBe('deleted');
    for (const path of lists) expect(await listed(path), path).not.toContain(id);
    expect((await tweet(root)).counts).toMatchObject({ replies: 0, quotes: 0 });
    expect((await tweet(quoting)).quoted).toEqual({ kind: 'tombstone', id, reason: 'deleted' });
    expect((await sandbox.get('/api/me', me)).body.user.counts.tweets).toBe(0);
    expect((await sandbox.tweet('Ephemera zyxw', me, { reply_to_id: root, quote_of_id: root })).status).toBe(201);
  });

  test('is not deleted again by a repeated idempotency token', async () => {
    const id = await posted('Deleted but once');
    const other = await posted('Another one');
    const headers = { 'idempotency-token': 'delete-1' };
    const send = (which: string) => sandbox.call('DELETE', `/api/tweets/${which}`, { as: sandbox.ada, headers });
    expect((await send(id)).headers.get('idempotent-replayed')).toBeNull();
    const again = await send(id);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      { tweet_id: id, deleted: true },
      'true',
    ]);
    expect(refusal(await send(other))).toEqual([409, 'idempotency_conflict']);
    expect(refusal(await sandbox.tweet('With the same token', sandbox.ada, {}, headers))).toEqual([
      409,
      'idempotency_conflict',
    ]);
  });
});

test('a list shows as many replies as are counted, for every reader', async () => {
  const shy = await sandbox.mint({ protected: true });
  const root = await posted('Any thoughts?', sandbox.grace);
  const open = await posted('Some', sandbox.ada, { reply_to_id: root });
  const closed = await posted('Some, quietly', shy, { reply_to_id: root });
  await posted('On another level', sandbox.grace, { reply_to_id: open });
  for (const [as, expected] of [
    [sandbox.ada, [open]],
    [shy, [closed, open]],
  ] as const) {
    expect(await listed(`/2/tweets/search/all?query=in_reply_to_tweet_id:${root}`, as)).toEqual(expected);
    expect((await tweet(root, as)).counts.replies).toBe(expected.length);
  }
});
