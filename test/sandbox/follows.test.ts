import { beforeEach, describe, expect, test } from 'vitest';
import { defaultSeed } from '../../src/sandbox/seed/build-dataset.ts';
import { userIdFor } from '../../src/sandbox/seed/credentials.ts';
import { type Account, type Json, missing, openSandbox } from './harness.ts';

const sandbox = await openSandbox();
const { ada, grace, linus, set, clear, user } = sandbox;

const follow = (who: Account, as: Account) => set('following', who.userId, as);
const unfollow = (who: Account, as: Account) => clear('following', who.userId, as);
const followersOf = async (name: string) => (await user(name)).public_metrics.followers_count;
const data = async (path: string, as: Account): Promise<Json[]> => (await sandbox.x(path, as)).body.data ?? [];

let me: Account;
beforeEach(async () => {
  me = await sandbox.mint();
});

describe('following', () => {
  test('and unfollowing count once each, even if they are repeated', async () => {
    const before = await followersOf('grace');
    for (let time = 0; time < 2; time++) {
      expect((await follow(grace, me)).body).toEqual({ data: { following: true, pending_follow: false } });
      expect(await user('GRACE', me)).toMatchObject({ connection_status: ['following'] });
      expect(await followersOf('grace')).toBe(before + 1);
    }
    expect((await user(me.userName, me)).public_metrics.following_count).toBe(1);
    for (let time = 0; time < 2; time++) {
      expect((await unfollow(grace, me)).body).toEqual({ data: { following: false } });
      expect(await followersOf('grace')).toBe(before);
    }
    expect((await user(me.userName, me)).public_metrics.following_count).toBe(0);
  });

  test('a protected user requires acceptance, and then shows everything', async () => {
    const before = await followersOf('linus');
    for (let time = 0; time < 2; time++) {
      expect((await follow(linus, me)).body.data).toEqual({ following: false, pending_follow: true });
      expect((await user('linus', me)).connection_status).toEqual(['follow_request_sent']);
      expect(await followersOf('linus')).toBe(before);
    }
    const ofLinus = `/2/users/${linus.userId}`;
    for (const part of ['tweets', 'followers', 'following']) {
      expect((await sandbox.x(`${ofLinus}/${part}`, me)).body.errors[0].reason).toBe('protected');
      expect((await data(`${ofLinus}/${part}`, linus)).length).toBeGreaterThan(0);
    }
    const accept = () => sandbox.control('follow-requests/accept', { target: 'linus', follower: me.userId });
    expect((await accept()).body).toEqual({ target: linus.userId, follower: me.userId, accepted: true });
    expect((await user('linus', me)).connection_status).toEqual(['following']);
    expect(await followersOf('linus')).toBe(before + 1);
    expect((await data(`${ofLinus}/tweets`, me)).length).toBeGreaterThan(5);
    expect((await follow(linus, me)).body.data).toEqual({ following: true, pending_follow: false });
    const again = await accept();
    expect([again.status, again.body.resource_type]).toEqual([404, 'follow_request']);
    expect((await unfollow(linus, me)).body.data.following).toBe(false);
    expect(await data(`${ofLinus}/tweets`, me)).toEqual([]);
  });

  test('can be withdrawn while it is a request', async () => {
    await follow(linus, me);
    expect((await unfollow(linus, me)).body.data).toEqual({ following: false });
    const late = await sandbox.control('follow-requests/accept', { target: 'linus', follower: me.userName });
    expect(late.status).toBe(404);
  });
});

describe.each(['following', 'blocking', 'muting'])('%s', (part) => {
  test('is refused for oneself and for users that do not exist', async () => {
    const own = await set(part, me.userId, me);
    expect([own.status, own.body.errors[0].parameters]).toEqual([400, { target_user_id: [] }]);
    for (const [name, reason] of [
      ['quickgains', 'suspended'],
      ['oldlantern', 'deleted'],
    ] as const) {
      const id = userIdFor(defaultSeed, name, () => false);
      expect(missing(await set(part, id, me))).toEqual([200, 'resource-not-found', reason]);
    }
    expect(missing(await set(part, '12', me))).toEqual([200, 'resource-not-found', null]);
  });
});

describe('a block', () => {
  test('ends the follows of both, and prevents new ones until it is removed', async () => {
    const other = await sandbox.mint();
    await follow(other, me);
    await follow(me, other);
    for (let time = 0; time < 2; time++) {
      expect((await set('blocking', other.userId, me)).body).toEqual({ data: { blocking: true } });
      expect((await user(other.userName, me)).connection_status).toEqual(['blocking']);
      expect((await user(me.userName, other)).connection_status).toEqual([]);
    }
    for (const [from, to] of [
      [me, other],
      [other, me],
    ] as const) {
      expect((await follow(to, from)).body).toMatchObject({ status: 403, type: 'about:blank' });
    }
    for (let time = 0; time < 2; time++)
      expect((await clear('blocking', other.userId, me)).body).toEqual({ data: { blocking: false } });
    expect((await follow(me, other)).body.data.following).toBe(true);
  });

  test('hides the posts of both from each other, and nobody else', async () => {
    const other = await sandbox.mint();
    const { id: root } = (await sandbox.tweet('Any ideas?', ada)).body.data;
    const own = (await sandbox.tweet('Mine, unseen', me, { replyTo: root })).body.data.id;
    const theirs = (await sandbox.tweet(`Theirs, unseen, @${me.userName}`, other, { replyTo: root })).body.data.id;
    await set('likes', own, other);
    await set('blocking', other.userId, me);
    const refused = [200, 'not-authorized-for-resource', null];
    for (const [as, id, author] of [
      [me, theirs, other],
      [other, own, me],
    ] as const) {
      for (const path of [`/2/tweets/${id}`, `/2/users/${author.userId}/tweets`])
        expect(missing(await sandbox.x(path, as)), path).toEqual(refused);
      for (const part of ['likes', 'retweets', 'bookmarks']) expect(missing(await set(part, id, as))).toEqual(refused);
      expect(missing(await sandbox.tweet('A reply', as, { replyTo: id }))).toEqual(refused);
      expect((await sandbox.search('unseen', as)).map((post) => post.id)).not.toContain(id);
      expect((await sandbox.post(root, as)).public_metrics.reply_count).toBe(1);
    }
    expect((await sandbox.post(own, me)).public_metrics.like_count).toBe(0);
    expect(await data(`/2/users/${me.userId}/mentions`, me)).toEqual([]);
    expect((await sandbox.post(root, grace)).public_metrics.reply_count).toBe(2);
    expect((await sandbox.post(own, grace)).public_metrics.like_count).toBe(1);
    const { body } = await sandbox.x(`/2/users/by/username/${me.userName}?user.fields=receives_your_dm`, other);
    expect(body.data.receives_your_dm).toBe(false);
  });
});

test('a mute hides posts from home, mentions and the activity feed only', async () => {
  const other = await sandbox.mint();
  await follow(other, me);
  const feed = await sandbox.get('/sandbox/activity', me);
  await set('muting', other.userId, me);
  const { id } = (await sandbox.tweet(`Hello @${me.userName}`, other)).body.data;
  const lists = [`/2/users/${me.userId}/timelines/reverse_chronological`, `/2/users/${me.userId}/mentions`];
  const shown = async () =>
    Promise.all(
      [...lists, '/sandbox/home?max_results=100'].map(async (path) =>
        JSON.stringify(await data(path, me)).includes(id),
      ),
    );
  expect(await shown()).toEqual([false, false, false]);
  const later = await sandbox.get(`/sandbox/activity?pagination_token=${feed.body.meta.next_token}`, me);
  expect(later.body.data).toEqual([]);
  expect((await data(`/2/users/${other.userId}/tweets`, me)).map((post) => post.id)).toEqual([id]);
  expect((await user(other.userName, me)).connection_status).toEqual(['following', 'muting']);
  expect((await clear('muting', other.userId, me)).body).toEqual({ data: { muting: false } });
  expect(await shown()).toEqual([true, true, true]);
});
