import { beforeEach, describe, expect, test } from 'vitest';
import { weightedLength } from '../../src/sandbox/dataset/tweet-text.ts';
import { Feed } from './feed.ts';
import { type Account, fieldOf, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

let feed: Feed;
beforeEach(async () => {
  feed = new Feed(sandbox, await sandbox.mint());
  await sandbox.tweet('Mine', feed.account);
  await feed.read();
});

const make = (wish: object, account: Account = feed.account) =>
  sandbox.control('events', { userName: account.userName, ...wish });
const demo = () => [sandbox.ada, sandbox.grace, sandbox.linus].map(({ userId }) => userId);
const actors = (events: Json[]): string[] => events.map(({ actor }) => actor.id);

describe.each(['like', 'retweet', 'reply', 'quote', 'mention', 'follow'])('%s', (type) => {
  test('happens once, and the feed of the account contains only this event', async () => {
    const { status, body } = await make({ type });
    expect([status, body.events.length, body.events[0].type]).toEqual([201, 1, type]);
    expect(await feed.read()).toEqual(body.events);
  });

  test('happens 2,000 times by many users, none of them a demo account', async () => {
    const { events } = (await make({ type, count: 2_000 })).body;
    expect(await feed.read()).toEqual(events);
    expect(events.every((event: Json) => event.type === type)).toBe(true);
    const people = new Set(actors(events));
    expect(people.size).toBeGreaterThan(200);
    expect(demo().filter((id) => people.has(id))).toEqual([]);
    const texts: string[] = events.map(({ tweet }: Json) => tweet?.text ?? '');
    expect(texts.filter((text) => weightedLength(text) > 280 || /[{}]|undefined/.test(text))).toEqual([]);
  });

  test('happens again by the same users if no others are left', async () => {
    await make({ type, count: 2_000 });
    await feed.read();
    const { events } = (await make({ type, count: 3, actor: 'grace' })).body;
    expect(actors(events)).toEqual(Array(3).fill(sandbox.grace.userId));
    expect((await make({ type, count: 30 })).body.events).toHaveLength(30);
    expect(await feed.read()).toHaveLength(33);
  });
});

describe('events that are made', () => {
  test('appear in counts, lists and threads', async () => {
    const { account } = feed;
    const [{ id }] = (await sandbox.x(`/2/users/${account.userId}/tweets`)).body.data;
    for (const type of ['like', 'retweet', 'reply', 'quote', 'follow'])
      await make({ type, count: 7, tweetId: undefined });
    const tweet = await sandbox.post(id);
    const counts = { like_count: 7, repost_count: 7, reply_count: 7, quote_count: 7 };
    expect(tweet.public_metrics).toMatchObject(counts);
    expect((await sandbox.x(`/2/tweets/search/all?query=in_reply_to_tweet_id:${id}`)).body.data).toHaveLength(7);
    expect((await sandbox.x(`/2/users/${account.userId}/followers`)).body.data).toHaveLength(7);
  });

  test('concern the latest tweet, or the given one', async () => {
    const older = (await sandbox.tweet('Older', feed.account)).body.data.id;
    const latest = (await sandbox.tweet('Latest', feed.account)).body.data.id;
    expect((await make({ type: 'like' })).body.events[0].tweet.id).toBe(latest);
    expect((await make({ type: 'like', tweetId: older })).body.events[0].tweet.id).toBe(older);
    expect((await make({ type: 'reply', tweetId: older })).body.events[0].tweet.in_reply_to_id).toBe(older);
  });

  test('have the given text', async () => {
    const said = async (wish: object) => (await make(wish)).body.events.map(({ tweet }: Json) => tweet.text);
    const { userName } = feed.account;
    expect(await said({ type: 'mention', text: 'hello there' })).toEqual([`@${userName} hello there`]);
    expect(await said({ type: 'mention', text: ` Is @${userName} here? ` })).toEqual([`Is @${userName} here?`]);
    expect(await said({ type: 'quote', text: 'So true', actor: 'ada', count: 3 })).toEqual([
      'So true',
      'So true (2)',
      'So true (3)',
    ]);
  });

  test('for protected accounts come from users who may see the tweet, and follows are accepted', async () => {
    const shy = new Feed(sandbox, await sandbox.mint({ protected: true }));
    await sandbox.tweet('For few', shy.account);
    await shy.read();
    expect((await make({ type: 'like' }, shy.account)).body.reason).toBe('protected');
    const { events } = (await make({ type: 'follow', count: 2 }, shy.account)).body;
    const likes = (await make({ type: 'like', count: 5 }, shy.account)).body.events;
    expect(new Set(actors(likes))).toEqual(new Set(actors(events)));
    expect(await shy.read()).toHaveLength(7);
    expect((await make({ type: 'retweet' }, shy.account)).body.reason).toBe('forbidden');
    const whisper = await make({ type: 'mention', actor: shy.account.userName });
    expect([whisper.status, whisper.body.reason]).toEqual([403, 'protected']);
  });
});

test.each<[string, object, number, string, string?]>([
  ['no type', { type: undefined }, 400, 'bad_request', 'type'],
  ['an unknown type', { type: 'poke' }, 400, 'bad_request', 'type'],
  ['no account', { userName: undefined }, 400, 'bad_request', 'userName'],
  ['an unknown account', { userName: 'nobody_at_all' }, 404, 'not_found'],
  ['a suspended account', { userName: 'quickgains' }, 403, 'user_suspended'],
  ['a suspended actor', { actor: 'quickgains' }, 403, 'user_suspended'],
  ['an account that is its own actor', { userName: 'ada', actor: 'ADA' }, 400, 'bad_request', 'actor'],
  ['too many', { count: 2_001 }, 400, 'bad_request', 'count'],
  ['none', { count: 0 }, 400, 'bad_request', 'count'],
  ['a tweet with a follow', { type: 'follow', tweetId: '1' }, 400, 'bad_request', 'tweetId'],
  ['a tweet that is not there', { tweetId: '1' }, 404, 'not_found'],
  ['a text with a like', { text: 'Nice' }, 400, 'bad_request', 'text'],
  ['an empty text', { type: 'reply', text: ' ' }, 400, 'text_empty', 'text'],
  [
    'a text too long once the name is in front',
    { type: 'mention', text: 'x'.repeat(279) },
    400,
    'text_too_long',
    'text',
  ],
])('refuses %s', async (_name, wish, status, code, field) => {
  const reply = await make({ type: 'like', ...wish });
  expect([reply.status, reply.body.reason, fieldOf(reply)]).toEqual([status, code, field]);
  expect(await feed.read()).toEqual([]);
});

test('the tweet of another account, and a reaction to an account without tweets, are refused', async () => {
  const { id } = (await sandbox.tweet('Not yours')).body.data;
  expect(fieldOf(await make({ type: 'like', tweetId: id }))).toBe('tweetId');
  expect(fieldOf(await make({ type: 'like' }, await sandbox.mint()))).toBe('userName');
});
