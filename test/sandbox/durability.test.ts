import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { onSqlite } from '../support/on-sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Json, missing, openSandbox } from './harness.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

const onJournal = <Result>(use: Parameters<typeof onSqlite<Result>>[1]) =>
  onSqlite(join(dataDir, 'sandbox.sqlite'), use);

const DAY_MS = 86_400_000;

describe('after a restart the acknowledged changes are present:', () => {
  test('tweets, likes, accounts, and the epoch with all ids of the seed', async () => {
    let clock = Date.UTC(2026, 0, 1, 12, 0, 42);
    const first = await openSandbox({ dataDir, now: () => clock });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const seeded = (await first.search('from:grace'))[0].id;
    const account = await first.mint({ userName: 'Survivor', premium: true });
    const original = (await first.tweet('Still here?', account)).body.data;
    const reply = (await first.tweet('Of course', first.grace, { replyTo: original.id })).body.data;
    const quote = (await first.tweet('See', first.ada, { quoteOf: seeded })).body.data;
    await first.set('likes', original.id, first.grace);
    await first.set('likes', original.id);
    await first.clear('likes', original.id);
    const { created_at } = await first.post(original.id);
    await first.close();

    clock += 3 * DAY_MS;
    const second = await openSandbox({ dataDir, now: () => clock });
    const withoutOrigin = ({ url, info }: typeof first) => JSON.stringify(info.demo).replaceAll(url, '');
    expect(withoutOrigin(second)).toEqual(withoutOrigin(first));
    const counts = { like_count: 1, reply_count: 1 };
    const kept = { text: 'Still here?', public_metrics: counts, created_at };
    expect(await second.post(original.id, account)).toMatchObject(kept);
    expect((await second.post(reply.id)).conversation_id).toBe(original.id);
    expect((await second.post(quote.id)).referenced_posts).toEqual([{ type: 'quoted', id: seeded }]);
    const liked = (await second.x(`/2/users/${second.grace.userId}/liked_tweets`, second.grace)).body.data;
    expect(liked[0].id).toBe(original.id);
  });

  test('follows, requests, blocks, mutes, reposts, bookmarks and deletions', async () => {
    const first = await openSandbox({ dataDir });
    const { ada, grace, linus } = first;
    const [one, two, three] = (await first.search('from:grace')).map(({ id }) => id);
    const { set, clear } = first;
    const [shy, foe] = [await first.mint({ protected: true }), await first.mint()];
    await set('following', linus.userId);
    await set('following', shy.userId);
    await first.control('follow-requests/accept', { target: shy.userId, follower: ada.userId });
    await set('following', shy.userId, grace);
    await clear('following', shy.userId, grace);
    await clear('following', grace.userId);
    await set('blocking', foe.userId);
    await set('muting', foe.userId);
    await set('blocking', linus.userId, foe);
    await clear('blocking', linus.userId, foe);
    await set('retweets', one);
    await set('bookmarks', two);
    await set('bookmarks', one);
    await set('retweets', three);
    await clear('retweets', three);
    await first.remove(three, grace);
    const view = async (sandbox: typeof first) => {
      const names = ['linus', 'grace', shy.userName, foe.userName, 'ada'];
      const users = await Promise.all(names.map((name) => sandbox.user(name)));
      const posts = await Promise.all([one, two, three].map((id) => sandbox.post(id)));
      const lists = [`${grace.userId}/followers`, `${ada.userId}/bookmarks`, `${ada.userId}/tweets`];
      const found = await Promise.all(lists.map(async (path) => (await sandbox.x(`/2/users/${path}`)).body.data));
      return JSON.parse(JSON.stringify([...users, ...posts, ...found]).replaceAll(sandbox.url, ''));
    };
    const before = await view(first);
    const bookmarks = `/2/users/${ada.userId}/bookmarks`;
    const { next_token: token } = (await first.x(`${bookmarks}?max_results=1`)).body.meta;
    const nextPage = (sandbox: typeof first) => sandbox.x(`${bookmarks}?pagination_token=${token}`);
    await first.close();

    const second = await openSandbox({ dataDir });
    expect(await view(second)).toEqual(before);
    const statuses = before.slice(0, 4).map((user: Json) => user.connection_status);
    expect(statuses).toEqual([
      ['followed_by', 'follow_request_sent'],
      ['followed_by'],
      ['following'],
      ['blocking', 'muting'],
    ]);
    expect(before[2].public_metrics.followers_count).toBe(1);
    const rest = (await nextPage(second)).body.data;
    expect(rest.map(({ id }: Json) => id)).toEqual([two]);
    expect(missing(await second.x(`/2/tweets/${three}`))).toEqual([200, 'resource-not-found', 'deleted']);

    // A cursor is not valid after a reset of the dataset, even after a restart.
    await second.control('reset');
    expect((await nextPage(second)).status).toBe(400);
    expect((await second.x(bookmarks)).body.data).toBeUndefined();
    const followers = `/2/users/${grace.userId}/followers`;
    const fresh = (await second.x(`${followers}?max_results=3`)).body.meta.next_token;
    await second.close();
    const third = await openSandbox({ dataDir });
    expect((await nextPage(third)).status).toBe(400);
    expect((await third.x(`${followers}?pagination_token=${fresh}`)).status).toBe(200);
  });

  test('idempotency tokens and the duplicate check', async () => {
    const token = { 'idempotency-token': 'across' };
    const first = await openSandbox({ dataDir });
    const { id } = (await first.tweet('Once over restarts', first.ada, {}, token)).body.data;
    await first.close();
    const second = await openSandbox({ dataDir });
    const again = await second.tweet('Once over restarts', second.ada, {}, token);
    expect([again.status, again.body.data.id]).toEqual([201, id]);
    expect((await second.tweet('Other', second.ada, {}, token)).status).toBe(409);
    expect((await second.tweet('Once over restarts')).status).toBe(403);
  });

  test('a reset, and later changes', async () => {
    const first = await openSandbox({ dataDir });
    const lost = await first.mint();
    await first.tweet('Before the reset');
    await first.control('reset');
    await first.tweet('After the reset');
    await first.close();
    const second = await openSandbox({ dataDir });
    const texts = (await second.call('GET', '/control/tweets')).body.tweets.map((tweet: Json) => tweet.text);
    expect(texts).toEqual(['After the reset']);
    expect((await second.x('/2/users/me', lost)).status).toBe(401);
  });

  test('added followers, in one entry of the journal', async () => {
    const first = await openSandbox({ dataDir });
    await first.control('followers', { userName: 'ada', count: 150 });
    const { userName } = await first.mint({ userName: 'follower151' });
    await first.control('followers', { userName, count: 2 });
    const view = async ({ x }: typeof first, name: string) => {
      const { id } = (await x(`/2/users/by/username/${name}`)).body.data;
      return (await x(`/2/users/${id}/followers?max_results=100`)).body.data;
    };
    const before = [await view(first, 'ada'), await view(first, userName)];
    await first.close();
    expect(onJournal((db) => db.prepare('SELECT count(*) AS rows FROM journal').get())).toMatchObject({ rows: 3 });
    const second = await openSandbox({ dataDir });
    expect([await view(second, 'ada'), await view(second, userName)]).toEqual(before);
    expect(before[1]?.map(({ username }: Json) => username)).toEqual(['follower153', 'follower152']);
  });

  test('all writes but those to users and tweets that an older version had, with one warning', async () => {
    const first = await openSandbox({ dataDir });
    const { id } = (await first.tweet('Kept', first.ada)).body.data;
    await first.close();
    const [gone, at] = ['1999999999', Date.now()];
    const entries = [
      { kind: 'like', user: first.ada.userId, tweet: '1234567890123456789', at },
      { kind: 'follow', user: first.ada.userId, target: gone, at },
      { kind: 'tweet', id: '9100000000000000000', author: gone, text: 'Gone', at, token: 'x', fingerprint: 'y' },
      { kind: 'like', user: first.ada.userId, tweet: '9100000000000000000', at },
      { kind: 'edit_article', article: '1', at, title: 'Gone' },
      { kind: 'chat_mute', user: gone, other: first.ada.userId, at },
      { kind: 'followers', user: gone, count: 5, at },
      { kind: 'like', user: first.grace.userId, tweet: id, at },
    ].map((entry) => JSON.stringify(entry));
    const insert = 'INSERT INTO journal (v, entry) SELECT 2, value FROM json_each(?)';
    onJournal((db) => db.prepare(insert).run(`[${entries}]`));
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const second = await openSandbox({ dataDir });
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('left out 7 of 9 earlier writes'));
    expect((await second.post(id)).public_metrics.like_count).toBe(1);
    expect((await second.tweet('Written later')).status).toBe(201);
  });

  test('no changes if the sandbox has no folder', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.tweet('Ephemeral')).status).toBe(201);
    await sandbox.close();
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('a file is refused', () => {
  test('that was written by a newer version', async () => {
    await (await openSandbox({ dataDir })).close();
    onJournal((db) => db.exec('PRAGMA user_version = 9'));
    await expect(openSandbox({ dataDir })).rejects.toThrow('written by a newer version (format 9');
  });

  test('that has an entry of a newer version', async () => {
    await (await openSandbox({ dataDir })).close();
    onJournal((db) => db.prepare('INSERT INTO journal (v, entry) VALUES (9, ?)').run('{"kind":"poem"}'));
    await expect(openSandbox({ dataDir })).rejects.toThrow('an entry of a newer version (9)');
  });

  test('of another seed', async () => {
    await (await openSandbox({ dataDir })).close();
    await expect(openSandbox({ dataDir, seed: 'other' })).rejects.toThrow('holds the dataset of seed "postern"');
  });

  test('in a folder that another sandbox uses', async () => {
    await openSandbox({ dataDir });
    await expect(openSandbox({ dataDir })).rejects.toThrow('another sandbox uses this folder');
  });
});
