import { beforeEach, describe, expect, test } from 'vitest';
import { type Account, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

const follow = (who: string, as: Account) => sandbox.call('PUT', `/api/users/${who}/follow`, { as });
const unfollow = (who: string, as: Account) => sandbox.call('DELETE', `/api/users/${who}/follow`, { as });
const user = async (name: string, as: Account): Promise<Json> =>
  (await sandbox.get(`/api/users/by/${name}`, as)).body.user;
const refusal = (reply: Json) => [reply.status, reply.body.problem?.code];

describe('following', () => {
  let me: Account;
  beforeEach(async () => {
    me = await sandbox.mint();
  });

  test('and unfollowing count once each, even if they are repeated', async () => {
    const before = (await user('grace', me)).counts.followers;
    for (const who of [sandbox.grace.userId, 'by/GRACE']) {
      const { body } = await follow(who, me);
      expect(body).toMatchObject({ following: true, follow_requested: false, user: { screen_name: 'grace' } });
      expect(body.user.counts.followers).toBe(before + 1);
      expect(body.user.viewer).toMatchObject({ following: true, follow_requested: false });
    }
    expect((await user(me.userName, me)).counts.following).toBe(1);
    for (const who of ['by/grace', sandbox.grace.userId]) {
      const { body } = await unfollow(who, me);
      expect(body).toMatchObject({ following: false, follow_requested: false });
      expect(body.user.counts.followers).toBe(before);
    }
    expect((await user(me.userName, me)).counts.following).toBe(0);
  });

  test('a protected user requires acceptance, and then shows everything', async () => {
    const before = (await user('linus', me)).counts.followers;
    for (let time = 0; time < 2; time++) {
      const { body } = await follow('by/linus', me);
      expect(body).toMatchObject({ following: false, follow_requested: true });
      expect(body.user.viewer).toMatchObject({ following: false, follow_requested: true });
      expect(body.user.counts.followers).toBe(before);
    }
    const ofLinus = `/2/users/${sandbox.linus.userId}`;
    for (const part of ['tweets', 'followers', 'following']) {
      expect((await sandbox.x(`${ofLinus}/${part}`, me)).body.errors[0].reason).toBe('protected');
      expect((await sandbox.x(`${ofLinus}/${part}`, sandbox.linus)).body.data).toBeDefined();
    }
    const accepted = await sandbox.control('follow-requests/accept', { target: 'linus', follower: me.userId });
    expect(accepted.body).toEqual({ target: sandbox.linus.userId, follower: me.userId, accepted: true });
    expect(await user('linus', me)).toMatchObject({
      counts: { followers: before + 1 },
      viewer: { following: true, follow_requested: false },
    });
    expect((await sandbox.x(`${ofLinus}/tweets`, me)).body.data.length).toBeGreaterThan(5);
    expect((await follow('by/linus', me)).body).toMatchObject({ following: true, follow_requested: false });
    const again = await sandbox.control('follow-requests/accept', { target: 'linus', follower: me.userId });
    expect([...refusal(again), again.body.problem.resource]).toEqual([404, 'not_found', 'follow_request']);
    expect((await unfollow('by/linus', me)).body.following).toBe(false);
    expect((await sandbox.x(`${ofLinus}/tweets`, me)).body.data).toBeUndefined();
  });

  test('can be withdrawn while it is a request', async () => {
    await follow('by/linus', me);
    expect((await unfollow('by/linus', me)).body).toMatchObject({ following: false, follow_requested: false });
    expect((await sandbox.control('follow-requests/accept', { target: 'linus', follower: me.userName })).status).toBe(
      404,
    );
  });

  test('is refused for oneself and for users that do not exist', async () => {
    for (const who of [me.userId, `by/${me.userName}`]) {
      const reply = await follow(who, me);
      expect([...refusal(reply), reply.body.problem.field]).toEqual([400, 'bad_request', 'id']);
    }
    const ask = async (who: string) => {
      const reply = await follow(who, me);
      return [...refusal(reply), reply.body.problem.id];
    };
    expect(await ask('by/quickgains')).toEqual([403, 'user_suspended', 'quickgains']);
    expect(await ask('by/oldlantern')).toEqual([404, 'user_deleted', 'oldlantern']);
    expect(await ask('by/nobody_at_all')).toEqual([404, 'not_found', 'nobody_at_all']);
    expect(await ask('12')).toEqual([404, 'not_found', '12']);
  });
});
