import { describe, expect, test } from 'vitest';
import { checkedAnswers, hasDocument } from '../../support/x-document.ts';
import type { Json } from '../harness.ts';
import { openX } from './x-client.ts';

const earlier = checkedAnswers();
const { x, wrong, extended, all, tweet, set, clear, mint, ada, grace, linus, appToken, info } = await openX();

const usersNamed = async (...names: string[]): Promise<Json[]> =>
  (await x(`/2/users/by?usernames=${names.join(',')}&user.fields=public_metrics`)).body.data;
const idsOf = (items: readonly Json[]): string[] => items.map(({ id }) => id);

describe('counts equal their lists', () => {
  test('of a user', async () => {
    for (const { id, username, public_metrics: counts } of await usersNamed(
      'ada',
      'grace',
      'tidewater_labs',
      'citytrams',
    )) {
      const own = `/2/users/${id}`;
      const lists = {
        followers: await all(`${own}/followers?max_results=50`),
        following: await all(`${own}/following?max_results=1000`),
        posts: await all(`${own}/tweets?max_results=100`),
        likes: await all(`${own}/liked_tweets?max_results=100`),
      };
      const lengths = Object.values(lists).map(({ length }) => length);
      const { followers_count, following_count, post_count, like_count } = counts;
      expect([username, ...lengths]).toEqual([username, followers_count, following_count, post_count, like_count]);
      for (const list of Object.values(lists)) expect(new Set(idsOf(list)).size).toBe(list.length);
    }
  });

  test('of a post', async () => {
    const fields = 'post.fields=public_metrics&expansions=author_id';
    const found = await all(
      `/2/tweets/search/all?query=min_likes:15%20min_reposts:3&max_results=100&${fields}`,
      ada.authToken,
      true,
    );
    for (const { id, public_metrics: counts } of found.slice(0, 15)) {
      const lists = [
        await all(`/2/tweets/${id}/liking_users`),
        await all(`/2/tweets/${id}/retweeted_by`),
        await all(`/2/tweets/${id}/quote_tweets?max_results=10`),
        await all(`/2/tweets/search/all?max_results=100&query=in_reply_to_tweet_id:${id}`, ada.authToken, true),
      ];
      const { like_count, repost_count, quote_count, reply_count } = counts;
      expect(lists.map(({ length }) => length)).toEqual([like_count, repost_count, quote_count, reply_count]);
    }
    expect(found.length).toBeGreaterThan(15);
  });
});

describe('pages', () => {
  test('go forward and back', async () => {
    const path = `/2/users/${ada.userId}/followers?max_results=10`;
    const first = (await x(path)).body;
    const second = (await x(`${path}&pagination_token=${first.meta.next_token}`)).body;
    const third = (await x(`${path}&pagination_token=${second.meta.next_token}`)).body;
    expect(first.meta.previous_token).toBeUndefined();
    const back = (await x(`${path}&pagination_token=${third.meta.previous_token}`)).body;
    expect(idsOf(back.data)).toEqual(idsOf(second.data));
    expect(idsOf((await x(`${path}&pagination_token=${back.meta.previous_token}`)).body.data)).toEqual(
      idsOf(first.data),
    );
  });

  test('refuse a token of another list or user, and sizes that X refuses, with 400', async () => {
    const { next_token: token } = (await x(`/2/users/${ada.userId}/followers?max_results=1`)).body.meta;
    const page = `max_results=5&pagination_token=${token}`;
    for (const [path, as] of [
      [`/2/users/${ada.userId}/followers?max_results=5&pagination_token=${token}`, grace],
      [`/2/users/${grace.userId}/followers?${page}`, ada],
      [`/2/users/${ada.userId}/following?${page}`, ada],
      [`/2/users/${ada.userId}/followers?max_results=1001`, ada],
      [`/2/users/${ada.userId}/tweets?max_results=4`, ada],
      [`/2/tweets/1/quote_tweets?max_results=9`, ada],
      [`/2/users/${ada.userId}/followers?since_id=1`, ada],
    ] as const) {
      expect([path, (await wrong(path, as.authToken)).status]).toEqual([path, 400]);
    }
  });
});

describe('timelines', () => {
  test('show reposts as posts with ids of their own', async () => {
    const original = (await tweet('To be reposted https://ferry.example', grace)).body.data.id;
    await set('retweets', original, ada);
    const fields = 'expansions=author_id,referenced_posts&post.fields=public_metrics,entities';
    const { data, includes } = (await x(`/2/users/${ada.userId}/tweets?max_results=5&${fields}`)).body;
    expect(data[0]).toMatchObject({
      text: 'RT @grace: To be reposted https://ferry.example',
      author_id: ada.userId,
      referenced_posts: [{ type: 'retweeted', id: original }],
      public_metrics: { repost_count: 1, like_count: 0 },
      entities: { mentions: [{ start: 3, end: 9, username: 'grace' }] },
    });
    expect(idsOf(includes.posts)).toContain(original);
    expect((await x(`/2/tweets/${data[0].id}`)).body.data.text).toBe(data[0].text);
    const inside = (await extended(`/2/users/${ada.userId}/tweets?max_results=5&${fields}`)).body;
    expect(idsOf(inside.includes.users)).toContain(grace.userId);
    expect(inside.meta.owner).toEqual({ id: ada.userId, username: 'ada' });
    const without = await all(
      `/2/users/${ada.userId}/tweets?max_results=100&exclude=retweets,replies&expansions=referenced_posts`,
    );
    expect(
      without.flatMap((post) => post.referenced_posts ?? []).filter(({ type }: Json) => type !== 'quoted'),
    ).toEqual([]);
    await clear('retweets', original, ada);
    expect((await x(`/2/tweets/${data[0].id}`)).body.errors).toHaveLength(1);
  });

  test('home has the posts of the followed users, newest first, and only for the user of the token', async () => {
    const path = `/2/users/${ada.userId}/timelines/reverse_chronological?max_results=100`;
    const followed = new Set([ada.userId, ...idsOf(await all(`/2/users/${ada.userId}/following`))]);
    const page = (await x(`${path}&expansions=author_id`)).body.data;
    expect(page.filter((post: Json) => !followed.has(post.author_id))).toEqual([]);
    expect(idsOf(page)).toEqual(idsOf(page).toSorted((a, b) => Number(BigInt(b) - BigInt(a))));
    expect((await wrong(path, grace.authToken)).status).toBe(400);
    expect((await wrong(path, appToken)).status).toBe(403);
  });

  test('mentions have posts of others, and bookmarks the latest bookmark first', async () => {
    const { id } = (await tweet('Hello @ada', grace)).body.data;
    const mentions = (await x(`/2/users/${ada.userId}/mentions?expansions=author_id&since_id=${BigInt(id) - 1n}`)).body;
    expect(mentions.data).toEqual([{ id, text: 'Hello @ada', author_id: grace.userId }]);
    expect(mentions.meta).toEqual({ result_count: 1, newest_id: id, oldest_id: id });
    await set('bookmarks', id, ada);
    expect((await x(`/2/users/${ada.userId}/bookmarks`)).body.data[0].id).toBe(id);
  });
});

describe('lists of users', () => {
  test('members and affiliates belong to an owner', async () => {
    const members = (await extended(`/2/lists/${info.demo.listId}/members`)).body;
    expect([members.meta.owner, members.data.length > 5]).toEqual([{ id: ada.userId, username: 'ada' }, true]);
    const [organization] = await usersNamed(info.demo.organization);
    const affiliates = (await x(`/2/users/${organization.id}/affiliates?expansions=affiliation`)).body;
    expect(affiliates.data[0].affiliation).toEqual({ user_id: [organization.id] });
    expect((await x('/2/lists/1/members')).body.errors[0].resource_type).toBe('list');
  });

  test('app-only: leave out protected users', async () => {
    const { id } = (await tweet('Liked by a protected user', grace)).body.data;
    await set('retweets', id, linus);
    expect((await x(`/2/tweets/${id}/retweeted_by`, appToken)).body.data).toBeUndefined();
    expect(idsOf((await x(`/2/tweets/${id}/retweeted_by`, linus.authToken)).body.data)).toEqual([linus.userId]);
  });
});

describe('extensions', () => {
  test('followers you know are followers of the target whom the actor follows', async () => {
    const path = `/sandbox/users/${grace.userId}/followers_you_know`;
    const known = idsOf(await all(path, ada.authToken, true));
    const following = new Set(idsOf(await all(`/2/users/${ada.userId}/following`)));
    const followers = idsOf(await all(`/2/users/${grace.userId}/followers`));
    expect(known).toEqual(followers.filter((id) => following.has(id)));
    expect(known.length).toBeGreaterThan(0);
  });

  test('about has no dates before the creation of the account, also for protected users', async () => {
    const fresh = await mint({ premium: true });
    const aboutOf = async ({ userId }: { userId: string }) =>
      (await extended(`/sandbox/users/${userId}/about`)).body.data;
    for (const account of [ada, grace, linus, fresh]) {
      const about = await aboutOf(account);
      expect(about.verified_since === null).toBe(!about.is_verified && !about.is_blue_verified);
      expect(about.username_changes.last_changed_at === null).toBe(about.username_changes.count === 0);
      for (const time of [about.verified_since, about.username_changes.last_changed_at]) {
        if (time !== null) expect(time >= about.created_at && Date.parse(time) < Date.now()).toBe(true);
      }
    }
    const about = await aboutOf(fresh);
    expect(about.verified_since).toBe(about.created_at);
    expect(about.username_changes).toEqual({ count: 0, last_changed_at: null });
  });

  test('about has the history of an account', async () => {
    expect((await extended(`/sandbox/users/${ada.userId}/about`)).body).toMatchObject({
      data: {
        id: ada.userId,
        username: 'ada',
        name: expect.any(String),
        created_at: expect.any(String),
        is_verified: false,
        is_blue_verified: true,
        is_identity_verified: expect.any(Boolean),
        verified_since: expect.any(String),
        account_based_in: expect.any(String),
        created_via: expect.any(String),
        username_changes: { count: expect.any(Number), last_changed_at: null },
      },
      meta: { viewer_id: ada.userId },
    });
  });
});

test('calls of these tests are checked against X’s document, if it is there', ({ skip }) => {
  if (!hasDocument) skip('X’s document is absent');
  expect(checkedAnswers() - earlier).toBeGreaterThan(100);
});
