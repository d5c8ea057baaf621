import { beforeEach, describe, expect, test } from 'vitest';
import { Feed } from './feed.ts';
import { type Account, type Json, openSandbox } from './harness.ts';

let clock = Date.UTC(2026, 4, 20, 12, 0, 0, 250);
let hers: Feed;
let own: string;

const sandbox = await openSandbox({ now: () => clock });
const friend = await sandbox.mint({ userName: 'friend' });
beforeEach(async () => {
  hers = new Feed(sandbox, await sandbox.mint());
  own = (await sandbox.tweet('Mine', hers.account)).body.data.id;
  expect(await hers.read()).toEqual([]);
});

const put = (part: string, id: string, as: Account = friend) => sandbox.set(part, id, as);
const take = (part: string, id: string, as: Account = friend) => sandbox.clear(part, id, as);
let texts = 0;
const say = async (text: string, as: Account = friend, more: object = {}): Promise<string> =>
  (await sandbox.tweet(`${text} ${++texts}`, as, more)).body.data.id;

describe('the feed of an account contains', () => {
  test('likes, retweets, replies, quotes, mentions and follows, oldest first', async () => {
    const at = hers.account.userName;
    await put('likes', own);
    clock += 1;
    await put('retweets', own);
    const reply = await say('Indeed', friend, { replyTo: own });
    const quote = await say('Look', friend, { quoteOf: own });
    const mention = await say(`Hello @${at.toUpperCase()}`);
    await put('following', hers.account.userId);
    const events = await hers.read();
    const tweet = (id: string | null) => id && expect.objectContaining({ id });
    const actor = { id: friend.userId, screen_name: 'friend', name: 'friend' };
    expect(events).toEqual(
      [
        ['like', own],
        ['retweet', own],
        ['reply', reply],
        ['quote', quote],
        ['mention', mention],
        ['follow', null],
      ].map(([type, id]) => ({
        id: expect.any(String),
        type,
        types: [type],
        created_at: expect.any(String),
        actor,
        tweet: tweet(id ?? null),
      })),
    );
    expect(events[0]).toMatchObject({ created_at: '2026-05-20T12:00:00.250Z', tweet: { text: 'Mine' } });
    expect(events[1].created_at).toBe('2026-05-20T12:00:00.251Z');
    expect(events[0].tweet).toEqual({ id: own, text: 'Mine', in_reply_to_id: null, quoted_tweet_id: null });
    expect(events[2].tweet).toMatchObject({ in_reply_to_id: own, quoted_tweet_id: null });
    expect(events[3].tweet).toMatchObject({ in_reply_to_id: null, quoted_tweet_id: own });
  });

  test('each tweet once: as a reply rather than a quote, as a quote rather than a mention', async () => {
    const at = `@${hers.account.userName}`;
    await say(`${at} look ${at}`, friend, { replyTo: own, quoteOf: own });
    await say(`${at} look`, friend, { quoteOf: own });
    await say(`${at} and again ${at}`);
    expect(await hers.told()).toEqual(['reply friend', 'quote friend', 'mention friend']);
  });

  test('an event of a tweet that also concerns other accounts, which have events with other ids', async () => {
    const others = [new Feed(sandbox, await sandbox.mint()), new Feed(sandbox, await sandbox.mint())] as const;
    for (const other of others) await other.read();
    const quoted = await say('To be quoted', others[0].account);
    const names = others.map(({ account }) => `@${account.userName}`).join(' ');
    await say(`Meet ${names}`, friend, { replyTo: own, quoteOf: quoted });
    const events = [...(await hers.read()), ...(await others[0].read()), ...(await others[1].read())];
    expect(events.map(({ type }) => type)).toEqual(['reply', 'quote', 'mention']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect(new Set(events.map(({ tweet }) => tweet.id)).size).toBe(1);
  });

  test('a second event if an action is undone and done again, but not if it is only repeated', async () => {
    for (const [part, id] of [
      ['likes', own],
      ['retweets', own],
      ['following', hers.account.userId],
    ] as const) {
      await put(part, id);
      await put(part, id);
      await take(part, id);
      await take(part, id);
      await put(part, id);
    }
    expect(await hers.told()).toEqual(
      ['like', 'like', 'retweet', 'retweet', 'follow', 'follow'].map((type) => `${type} friend`),
    );
  });
});

describe('the feed of an account does not contain', () => {
  test('its own actions', async () => {
    const { account } = hers;
    await put('likes', own, account);
    await put('retweets', own, account);
    await say(`Me, @${account.userName}`, account, { replyTo: own, quoteOf: own });
    await put('following', friend.userId, account);
    await say(`@friend hello`, account);
    expect(await hers.read()).toEqual([]);
  });

  test('a follow request before it is accepted', async () => {
    const shy = new Feed(sandbox, await sandbox.mint({ protected: true }));
    await shy.read();
    await put('following', shy.account.userId);
    expect(await shy.read()).toEqual([]);
    await sandbox.control('follow-requests/accept', { target: shy.account.userId, follower: friend.userId });
    expect(await shy.told()).toEqual(['follow friend']);
  });

  test('tweets that it may not see, or that were deleted before the poll', async () => {
    const shy = await sandbox.mint({ protected: true });
    await say(`Between us, @${hers.account.userName}`, shy);
    const gone = await say('Soon gone', friend, { replyTo: own });
    await sandbox.remove(gone, friend);
    await put('likes', own, shy);
    expect(await hers.told()).toEqual([`like ${shy.userName}`]);
  });

  test('bookmarks, replies to others in its thread, and actions on others', async () => {
    const reply = await say('First', friend, { replyTo: own });
    await hers.read();
    await put('bookmarks', own);
    await say('Second', sandbox.ada, { replyTo: reply });
    await put('likes', reply, sandbox.ada);
    expect(await hers.read()).toEqual([]);
  });
});

describe('ids', () => {
  test('increase from event to event across all accounts, even if the clock stops or is set back', async () => {
    const other = new Feed(sandbox, friend);
    await other.read();
    const made: Json[] = [];
    for (let round = 0; round < 3; round++) {
      clock -= 500;
      await put('likes', own);
      await take('likes', own);
      made.push(...(await hers.read()));
      await say('@friend', sandbox.ada);
      made.push(...(await other.read()));
    }
    const ids = made.map(({ id }) => BigInt(id));
    expect(ids).toHaveLength(6);
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0n))).toBe(true);
  });
});
