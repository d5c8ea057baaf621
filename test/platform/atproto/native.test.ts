import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examplePng } from '../../../src/media/media-input.ts';
import { gif, mp4, png } from '../../media/pictures.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import type { Answer } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type AtprotoFixture, eventually, type Person, startAtprotoFixture } from './world.ts';

type Data = Record<string, unknown>;

// The AppView indexes writes asynchronously and out of order, so a failed test is retried.
describe.skipIf(atprotoMissing() !== null)('on the AT Protocol', { retry: 2 }, () => {
  let fixture: AtprotoFixture;
  let alice: Person;
  let bob: Person;
  let carol: Person;
  let tweetId: string;

  beforeAll(async () => {
    fixture = await startAtprotoFixture();
    [alice, bob, carol] = [await fixture.join('alice'), await fixture.join('bob'), await fixture.join('carol')];
    await succeeds(() => alice.client.get('/user/info', { userName: carol.handle }));
    tweetId = await tweet(alice, 'Looms remember patterns');
  });
  afterAll(() => fixture?.stop());

  const data = (answer: Answer): Data => {
    expect(answer.body.error).toBeNull();
    return answer.body.data;
  };
  const tweet = async (person: Person, text: string, more: Data = {}): Promise<string> =>
    String(data(await person.client.post('/tweet/create', { text, ...more }))['id']);
  const ids = (answer: Answer, list: string): string[] => (data(answer)[list] as { id: string }[]).map(({ id }) => id);
  const listed = (list: string, count: number, ask: () => Promise<Answer>) =>
    eventually(ask, (answer) => ids(answer, list).length === count);
  const succeeds = (ask: () => Promise<Answer>) => eventually(ask, ({ status }) => status === 200);
  /** Returns the ids of each page of a list. */
  const pagesOf = async (path: string, query: Record<string, string>, list: string): Promise<string[][]> => {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const answer: Answer = await alice.client.get(path, { ...query, ...(cursor && { cursor }) });
      const page: Data = data(answer);
      expect(page['has_more']).toBe(page['next_cursor'] !== null);
      pages.push(ids(answer, list));
      cursor = page['next_cursor'] as string | null;
    } while (cursor !== null && pages.length < 10);
    return pages;
  };
  const detail = async (person: Person, id: string) => data(await person.client.get('/tweet/detail', { tweet_id: id }));
  const idOf = async (person: Person) => String(data(await person.client.get('/user/me'))['id']);

  describe('a user', () => {
    test('has a numeric id, and its name as it was written', async () => {
      const byName = data(await alice.client.get('/user/info', { userName: bob.handle }));
      expect(byName).toMatchObject({ userName: bob.handle, name: 'BOB', protected: false });
      expect(byName['id']).toMatch(/^\d{1,37}$/);
    });

    test('with a name that is no handle is refused with 404', async () => {
      expectRefusal(await alice.client.get('/user/info', { userName: 'ada' }), 404, 'User not found: ada');
      const follow = await alice.client.post('/user/follow', { username: 'nobody.test' });
      expectRefusal(follow, 404, 'User not found: nobody.test');
    });

    test('has a history: its creation and the changes of its handle', async () => {
      const startedAt = Date.now();
      // The handle is new on each retry, and handles have at most 18 characters before the dot.
      const name = startedAt.toString(36);
      const dora = await fixture.join(`a${name}`);
      const about = (userName: string) => alice.client.get('/user/user_about', { userName });
      const before = data(await about(dora.handle));
      expect(before['usernameChanges']).toEqual({ count: 0, lastChangedAt: '' });
      const handle = `b${name}.test`;
      await fixture.xrpc(dora, 'com.atproto.identity.updateHandle', { handle });
      const answer = await succeeds(() => about(handle));
      const after = data(answer) as { createdAt: string; usernameChanges: { count: number; lastChangedAt: string } };
      expect(after).toMatchObject({ id: before['id'], userName: handle, createdAt: before['createdAt'] });
      expect(after.usernameChanges.count).toBe(1);
      expect(after.usernameChanges.lastChangedAt > after.createdAt).toBe(true);
      expect(Math.abs(Date.parse(after.createdAt) - startedAt)).toBeLessThan(60_000);
    });

    test('that is trusted to verify others has the verified accounts as affiliates', async () => {
      await fixture.verify(alice, bob, 'BOB');
      // The display name is not Carol's, so her profile does not show the verification as valid.
      await fixture.verify(alice, carol, 'Caroline');
      const answer = await listed('affiliates', 1, () =>
        carol.client.get('/user/affiliates', { userName: alice.handle }),
      );
      expect(data(answer)['affiliates']).toMatchObject([
        { userName: bob.handle, isVerified: true, verifiedType: null },
      ]);
      expect(data(await bob.client.get('/user/user_about', { userName: bob.handle }))['verifiedSince']).toMatch(/^20/);
      const verifier = data(await alice.client.get('/user/me'));
      expect(verifier).toMatchObject({ isVerified: true, verifiedType: 'trusted_verifier' });
    });

    test('is found by words', async () => {
      const found = await listed('users', 1, () => bob.client.get('/user/search', { q: alice.handle }));
      expect(ids(found, 'users')).toEqual([await idOf(alice)]);
    });
  });

  describe('look-ups', () => {
    test('read more tweets than the network returns at once, in the order of the request', async () => {
      const known = ids(await alice.client.get('/user/tweets_and_replies', { userName: alice.handle }), 'tweets');
      const unknown = Array.from({ length: 30 }, (_, at) => String(at + 1));
      const found = await carol.client.get('/tweets', { ids: [...unknown, ...known.toReversed()].join(',') });
      expect(ids(found, 'tweets')).toEqual(known.toReversed());
      expect(data(found)['missing']).toEqual(unknown.map((id) => ({ id, reason: 'not_found' })));
    });

    test('read users by id and by name', async () => {
      const people = [await idOf(carol), await idOf(alice)];
      const byId = await bob.client.get('/users', { ids: [...people, '1'].join(',') });
      expect(ids(byId, 'users')).toEqual(people);
      expect(data(byId)['missing']).toEqual([{ id: '1', reason: 'not_found' }]);
      const byName = data(await bob.client.get('/users', { userNames: `nobody,${alice.handle.toUpperCase()}` }));
      expect(byName).toMatchObject({
        users: [{ userName: alice.handle }],
        missing: [{ userName: 'nobody', reason: 'not_found' }],
      });
    });

    test('user/likes of another user is refused with 403', async () => {
      const answer = await alice.client.get('/user/likes', { userId: await idOf(bob) });
      expectRefusal(answer, 403, /to that user only/);
    });
  });

  describe('follows', () => {
    test('are idempotent in both directions, and are listed on both sides', async () => {
      const [aliceId, bobId] = [await idOf(alice), await idOf(bob)];
      for (let times = 0; times < 2; times += 1) {
        const state = data(await alice.client.post('/user/follow', { user_id: bobId }));
        expect(state).toMatchObject({ userId: bobId, userName: bob.handle, following: true, followRequestSent: false });
      }
      await eventually(
        () => bob.client.get('/user/followers', { userName: bob.handle }),
        (answer) => ids(answer, 'followers').includes(aliceId),
      );
      const following = await alice.client.get('/user/following', { userName: alice.handle });
      expect(ids(following, 'following')).toEqual([bobId]);
      expect(data(following)).toMatchObject({ has_more: false, next_cursor: null });
      for (let times = 0; times < 2; times += 1) {
        expect(data(await alice.client.post('/user/unfollow', { user_id: bobId }))['following']).toBe(false);
      }
      await listed('followers', 0, () => bob.client.get('/user/followers', { userName: bob.handle }));
    });

    test('of oneself are refused', async () => {
      expectRefusal(
        await alice.client.post('/user/follow', { username: alice.handle }),
        400,
        'Nobody can follow themselves',
      );
    });

    test('page to the end, and has_more is false on the last page', async () => {
      const people = [await fixture.join('dan'), await fixture.join('eve'), await fixture.join('fay')];
      for (const person of people) {
        await succeeds(() => person.client.post('/user/follow', { username: carol.handle }));
      }
      await listed('followers', 3, () => alice.client.get('/user/followers', { userName: carol.handle }));
      const pages = await pagesOf('/user/followers', { userName: carol.handle, count: '1' }, 'followers');
      expect(pages).toEqual([[expect.any(String)], [expect.any(String)], [expect.any(String)]]);
      expect(new Set(pages.flat()).size).toBe(3);
    });
  });

  describe('a tweet', () => {
    test('can be read at once, with its marks', async () => {
      const text = `Ä hello @${bob.handle}, see https://example.org/a(b) and #looms!`;
      const id = await tweet(alice, text);
      const shown = await detail(alice, id);
      expect(shown).toMatchObject({
        id,
        text,
        author: { userName: alice.handle },
        isReply: false,
        conversationId: id,
      });
      expect(shown['entities']).toMatchObject({
        hashtags: [{ text: 'looms' }],
        urls: [{ expanded_url: 'https://example.org/a(b)' }],
        user_mentions: [{ id: await idOf(bob), screen_name: bob.handle }],
      });
      const { urls } = shown['entities'] as { urls: { url: string; indices: [number, number] }[] };
      expect([...text].slice(...(urls[0]?.indices ?? [0, 0])).join('')).toBe(urls[0]?.url);
      const mentions = await listed('tweets', 1, () => bob.client.get('/user/mentions'));
      expect(ids(mentions, 'tweets')).toEqual([id]);
    });

    test('may have 300 graphemes and no more', async () => {
      const family = '👩‍👩‍👧‍👦';
      await tweet(alice, family.repeat(100));
      await tweet(alice, 'x'.repeat(300));
      const error = 'Malformed field: text: must be at most 300 characters (graphemes) and 3000 bytes';
      expectRefusal(await alice.client.post('/tweet/create', { text: 'x'.repeat(301) }), 400, error);
      expectRefusal(await alice.client.post('/tweet/create', { text: family.repeat(200) }), 400, error);
      expectRefusal(await alice.client.post('/tweet/create', { text: ' ' }), 400, /^Malformed field: text/);
    });

    test('can be answered, in a thread with the right root', async () => {
      const first = await tweet(bob, 'An answer', { reply_to_tweet_id: tweetId });
      const second = await tweet(bob, 'An answer to that', { reply_to_tweet_id: first });
      const shown = await detail(bob, second);
      expect(shown).toMatchObject({ isReply: true, inReplyToId: first, conversationId: tweetId });
      const replies = await listed('tweets', 1, () => alice.client.get('/tweet/replies', { tweet_id: tweetId }));
      expect(ids(replies, 'tweets')).toEqual([first]);
    });

    test('can be quoted by id, by its web address and by its at:// URI', async () => {
      const { url, platformUrl } = await detail(bob, tweetId);
      const quotes = [
        await tweet(bob, 'By id', { quote_tweet_id: tweetId }),
        await tweet(bob, 'By address', { quote_tweet_url: url }),
        await tweet(bob, 'By URI', { quote_tweet_url: platformUrl }),
      ];
      const found = await listed('tweets', 3, () => alice.client.get('/tweet/quotes', { tweet_id: tweetId }));
      expect(ids(found, 'tweets').sort()).toEqual([...quotes].sort());
      expect(data(found)['tweets']).toContainEqual(
        expect.objectContaining({ quoted_tweet: expect.objectContaining({ id: tweetId }) }),
      );
      const wrong = { text: 'Never posted', quote_tweet_url: 'https://x.com/ada/status/1' };
      expectRefusal(
        await bob.client.post('/tweet/create', wrong),
        400,
        /^Malformed field: quote_tweet_url: must be the address of a tweet/,
      );
    });

    test.each([
      ['favorite', 'unlike', 'app.bsky.feed.like'],
      ['retweet', 'unretweet', 'app.bsky.feed.repost'],
    ])('is the same after %s twice at once, and %s removes every record', async (add, undo, collection) => {
      const own = async () => {
        const query = new URLSearchParams({ repo: carol.did, collection });
        const response = await fetch(`${fixture.network.pdsUrl}/xrpc/com.atproto.repo.listRecords?${query}`);
        return ((await response.json()) as { records: unknown[] }).records.length;
      };
      for (let times = 0; times < 2; times += 1) data(await carol.client.post(`/tweet/${add}`, { tweet_id: tweetId }));
      expect(await own()).toBe(1);
      // Another client may have created a second record for the same tweet.
      const record = await detail(carol, tweetId);
      const listed = await fetch(
        `${fixture.network.pdsUrl}/xrpc/com.atproto.repo.listRecords?repo=${carol.did}&collection=${collection}`,
      );
      const [{ value }] = ((await listed.json()) as { records: [{ value: Data }] }).records;
      const other = { repo: carol.did, collection, rkey: '3kaaaaaaaaaa2', record: value };
      await fixture.xrpc(carol, 'com.atproto.repo.putRecord', other);
      expect(record['id']).toBe(tweetId);
      expect(await own()).toBe(2);
      for (let times = 0; times < 2; times += 1) data(await carol.client.post(`/tweet/${undo}`, { tweet_id: tweetId }));
      expect(await own()).toBe(0);
    });

    test('is counted and listed when it was retweeted', async () => {
      // A new tweet, because the AppView may combine retweets of one user that are made in quick succession.
      const id = await tweet(alice, 'Worth repeating');
      await succeeds(() => carol.client.post('/tweet/retweet', { tweet_id: id }));
      const users = await listed('users', 1, () => alice.client.get('/tweet/retweeters', { tweet_id: id }));
      expect(ids(users, 'users')).toEqual([await idOf(carol)]);
    });

    test('can be bookmarked and unbookmarked, repeatedly', async () => {
      for (let times = 0; times < 2; times += 1) data(await bob.client.post('/tweet/bookmark', { tweet_id: tweetId }));
      await eventually(
        () => bob.client.get('/user/bookmarks'),
        (answer) => ids(answer, 'tweets').includes(tweetId),
      );
      for (let times = 0; times < 2; times += 1)
        data(await bob.client.post('/tweet/unbookmark', { tweet_id: tweetId }));
      await listed('tweets', 0, () => bob.client.get('/user/bookmarks'));
    });

    test('is found by its id if its record key is not a TID', async () => {
      const record = { $type: 'app.bsky.feed.post', text: 'A foreign key', createdAt: new Date().toISOString() };
      const written = {
        repo: bob.did,
        collection: 'app.bsky.feed.post',
        rkey: 'self-made_key',
        record,
        validate: false,
      };
      await fixture.xrpc(bob, 'com.atproto.repo.putRecord', written);
      const found = await eventually(
        () => carol.client.get('/user/tweets_and_replies', { userName: bob.handle }),
        (answer) => (data(answer)['tweets'] as Data[]).some(({ text }) => text === record.text),
      );
      const foreign = (data(found)['tweets'] as Data[]).find(({ text }) => text === record.text);
      const id = String(foreign?.['id']);
      expect(await detail(carol, id)).toMatchObject({ id, text: record.text });
      const reply = await tweet(carol, 'A reply', { reply_to_tweet_id: id });
      expect((await detail(carol, reply))['inReplyToId']).toBe(id);
      for (const path of ['favorite', 'unlike']) data(await carol.client.post(`/tweet/${path}`, { tweet_id: id }));
      data(await bob.client.post('/tweet/delete', { tweet_id: id }));
    });

    test('can be deleted by its author only, and once', async () => {
      const id = await tweet(alice, 'Short-lived');
      expectRefusal(await bob.client.post('/tweet/delete', { tweet_id: id }), 403, 'Only the author can delete this');
      data(await alice.client.post('/tweet/delete', { tweet_id: id }));
      expectRefusal(await alice.client.post('/tweet/delete', { tweet_id: id }), 404, `Tweet not found: ${id}`);
      const gone = await eventually(
        () => alice.client.get('/tweet/detail', { tweet_id: id }),
        ({ status }) => status === 404,
      );
      expectRefusal(gone, 404, `Tweet not found: ${id}`);
    });

    test('that does not exist is 404, for every action', async () => {
      const id = tweetId.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
      for (const path of ['favorite', 'unlike', 'retweet', 'unretweet', 'bookmark', 'unbookmark', 'delete']) {
        const answer = await alice.client.post(`/tweet/${path}`, { tweet_id: id });
        // The id belongs to another account, which may exist.
        expect([403, 404], path).toContain(answer.status);
      }
      for (const path of ['detail', 'replies', 'quotes', 'retweeters']) {
        expectRefusal(await alice.client.get(`/tweet/${path}`, { tweet_id: id }), 404, `Tweet not found: ${id}`);
      }
    });
  });

  describe('pictures', () => {
    const upload = async (person: Person) => {
      const png = { media_data: examplePng, media_type: 'image/png' };
      return String(data(await person.client.post('/media/upload', png))['media_id']);
    };

    test('are posted with the alt texts and the languages that the author names', async () => {
      const [mediaId, langs] = [await upload(alice), ['pt-BR']];
      const id = await tweet(alice, 'Um tear', { media_ids: [mediaId], media_alt_texts: ['A loom'], langs });
      expect((await detail(alice, id))['lang']).toBe('pt-BR');
      const query = new URLSearchParams({ repo: alice.did, collection: 'app.bsky.feed.post', limit: '1' });
      const listed = await fetch(`${fixture.network.pdsUrl}/xrpc/com.atproto.repo.listRecords?${query}`);
      const { records } = (await listed.json()) as { records: { value: Data }[] };
      expect(records[0]?.value).toMatchObject({ langs, embed: { images: [{ alt: 'A loom' }] } });
    });

    test('are attached with their dimensions, also beside a quote', async () => {
      const plain = await tweet(alice, '', { media_ids: [await upload(alice)] });
      const photo = { type: 'photo', url: expect.stringMatching(/^http/), width: 1, height: 1 };
      expect(await detail(alice, plain)).toMatchObject({
        text: '',
        media: [photo],
      });
      const quote = await tweet(alice, 'Both', { media_ids: [await upload(alice)], quote_tweet_id: tweetId });
      expect(await detail(alice, quote)).toMatchObject({
        media: [photo],
        quoted_tweet: { id: tweetId },
      });
    });

    test('of others, and ids that do not exist, are 404', async () => {
      for (const id of [await upload(bob), '12']) {
        const answer = await alice.client.post('/tweet/create', { text: 'Never posted', media_ids: [id] });
        expectRefusal(answer, 404, `Media not found: ${id}`);
      }
    });
  });

  describe('videos', () => {
    const upload = async (bytes: Buffer, media_type: string) =>
      alice.client.post('/media/upload', { media_data: bytes.toString('base64'), media_type });
    const idAfter = async (bytes: Buffer, type: string) => String(data(await upload(bytes, type))['media_id']);

    test('are attached with their dimensions, one to a tweet', async () => {
      const video = await idAfter(mp4(), 'video/mp4');
      const id = await tweet(alice, 'Weaving', { media_ids: [video] });
      const media = [{ type: 'video', video_url: expect.stringMatching(/^http.*m3u8$/), width: 640, height: 360 }];
      const shown = await eventually(
        () => alice.client.get('/tweet/detail', { tweet_id: id }),
        ({ body }) => (body.data['media'] as unknown[]).length > 0,
      );
      expect(data(shown)).toMatchObject({ media });
      const both = { text: 'Never posted', media_ids: [video, await idAfter(png(), 'image/png')] };
      expectRefusal(
        await alice.client.post('/tweet/create', both),
        400,
        /^Malformed field: media_ids: may be one video/,
      );
    });

    test('that are larger than the server of the account accepts are refused with 400', async () => {
      const bytes = Buffer.concat([
        mp4(),
        Buffer.from('00700000', 'hex'),
        Buffer.from('free'),
        Buffer.alloc(0x700000 - 8),
      ]);
      expectRefusal(
        await upload(bytes, 'video/mp4'),
        400,
        /^Malformed field: media: has \d+ bytes, which is more than/,
      );
    });

    test('are suggested instead of a GIF, which the network does not animate', async () => {
      const animated = { text: 'Never posted', media_ids: [await idAfter(gif, 'image/gif')] };
      expectRefusal(
        await alice.client.post('/tweet/create', animated),
        501,
        /^Not supported by this platform: tweet\/create\. The network shows only the first frame of a GIF/,
      );
    });
  });

  describe('a write with an Idempotency-Key', () => {
    test('is performed once, also if its record exists already', async () => {
      const headers = { 'idempotency-key': 'post-once' };
      const first = await alice.client.post('/tweet/create', { text: 'Only once' }, headers);
      const again = await alice.client.post('/tweet/create', { text: 'Only once' }, headers);
      expect(data(again)['id']).toBe(data(first)['id']);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    });
  });

  describe('lists of tweets', () => {
    test('have the tweets of a user, newest first, page by page', async () => {
      const writer = await fixture.join('gus');
      await succeeds(() => writer.client.get('/user/me'));
      const written = [
        await tweet(writer, 'One loom'),
        await tweet(writer, 'Two looms'),
        await tweet(writer, 'Three looms'),
      ];
      await listed('tweets', 3, () => alice.client.get('/user/tweets_and_replies', { userName: writer.handle }));
      const pages = await pagesOf('/user/tweets_and_replies', { userName: writer.handle, count: '2' }, 'tweets');
      expect(pages.flat()).toEqual([...written].reverse());
      data(await alice.client.post('/user/follow', { username: writer.handle }));
      const home = await eventually(
        () => alice.client.post('/user/home_timeline'),
        (answer) => ids(answer, 'tweets').includes(written[0] ?? ''),
      );
      expect(ids(home, 'tweets')).toEqual(expect.arrayContaining(written));
      const search = async (words: string) =>
        ids(await alice.client.get('/tweet/advanced_search', { q: `from:${writer.handle} ${words}` }), 'tweets');
      const today = new Date().toISOString().slice(0, 10);
      expect(await search('Two')).toEqual([written[1]]);
      expect(await search(`until:${today}`)).toEqual([]);
      expect(await search(`since:${today}`)).toHaveLength(3);
      expect(await search('filter:links')).toEqual([]);
    });

    test.each(['near:here', 'min_faves:3', '-from:bob.test', 'since:yesterday', 'filter:verified'])(
      'are refused for an operator that the network does not have: %s',
      async (q) => {
        expectRefusal(await alice.client.get('/tweet/advanced_search', { q }), 400, /^Malformed field: q: /);
      },
    );
  });

  describe('members of a list', () => {
    test('are its users', async () => {
      const listId = await fixture.listOf(alice, [bob]);
      const members = await eventually(
        () => carol.client.get('/list/members', { listId }),
        ({ status, body }) => status === 200 && body.data['user_count'] === 1,
      );
      expect(ids(members, 'members')).toEqual([await idOf(bob)]);
      expectRefusal(await carol.client.get('/list/members', { listId: tweetId }), 404, `List not found: ${tweetId}`);
    });
  });

  describe('an auth_token', () => {
    test('may be an access token, and is refused when it is wrong or malformed', async () => {
      expect(data(await fixture.clientOf(alice.accessJwt).get('/user/me'))['userName']).toBe(alice.handle);
      for (const token of [`${alice.handle}:wrong`, 'nobody.test:wrong', 'nonsense', `${alice.accessJwt}x`, 'a.b.c']) {
        expectRefusal(await fixture.clientOf(token).get('/user/me'), 403, 'Platform rejected auth_token');
      }
    });

    test('of an identifier and a password logs in once, for all calls at once and for a second gateway', async () => {
      const hal = await fixture.join('hal');
      const other = await fixture.startGateway();
      const logins = async () => {
        const counts = await Promise.all([fixture, other].map((one) => one.sent('com.atproto.server.createSession')));
        return counts.reduce((sum, count) => sum + count, 0);
      };
      const before = await logins();
      const token = `${hal.handle}:${hal.password}`;
      const calls = [fixture, other].flatMap((one) =>
        Array.from({ length: 5 }, () => one.clientOf(token).get('/user/me')),
      );
      for (const answer of await Promise.all(calls)) expect(data(answer)['userName']).toBe(hal.handle);
      expect((await logins()) - before).toBe(1);
      await other.stop();
    });

    test('never appears in the log, nor do the tokens of the login', async () => {
      const log = fixture.log.join('\n');
      for (const secret of [alice.password, bob.password, alice.accessJwt]) expect(log).not.toContain(secret);
    });
  });
});
