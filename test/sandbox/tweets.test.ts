import { describe, expect, test } from 'vitest';
import { missing, openSandbox } from './harness.ts';

let clock = 1_760_000_000_000;
const DAY_MS = 86_400_000;

const sandbox = await openSandbox({ now: () => clock });
const { ada, grace } = sandbox;

describe('a new post', () => {
  test('is found by search and counted', async () => {
    const text = 'Testing the quokkaphone #demo $TEA with @grace https://a.example/b';
    const { status, body } = await sandbox.tweet(text);
    const { id } = body.data;
    expect([status, body]).toEqual([201, { data: { id, text, edit_history_post_ids: [id] } }]);
    expect(await sandbox.post(id)).toMatchObject({
      author_id: ada.userId,
      created_at: new Date(clock).toISOString(),
      entities: {
        hashtags: [{ tag: 'demo', start: 24, end: 29 }],
        cashtags: [{ tag: 'TEA' }],
        mentions: [{ username: 'grace', id: grace.userId }],
        urls: [{ expanded_url: 'https://a.example/b', display_url: 'a.example/b' }],
      },
    });
    expect((await sandbox.search('quokkaphone', grace)).map((post) => post.id)).toEqual([id]);
    const stats = await sandbox.call('GET', '/control/stats');
    expect(stats.body.tweets_created).toBe(1);
    const raw = await sandbox.call('GET', `/control/tweets?author=${ada.userId}`);
    expect(raw.body.tweets.map((tweet: { id: string }) => tweet.id)).toContain(id);
  });

  test('belongs to the conversation of the post that it replies to, and is shown in quotes', async () => {
    const { id: first } = (await sandbox.tweet('The first of a thread')).body.data;
    const { id: reply } = (await sandbox.tweet('A reply', grace, { replyTo: first })).body.data;
    const { id: deeper } = (await sandbox.tweet('A reply to it', ada, { replyTo: reply })).body.data;
    expect(await sandbox.post(reply)).toMatchObject({
      referenced_posts: [{ type: 'replied_to', id: first }],
      in_reply_to_user_id: ada.userId,
    });
    expect((await sandbox.post(deeper)).conversation_id).toBe(first);
    const { id: quote } = (await sandbox.tweet('Look at this', grace, { quoteOf: first })).body.data;
    expect((await sandbox.post(quote)).referenced_posts).toEqual([{ type: 'quoted', id: first }]);
    expect((await sandbox.post(first)).public_metrics).toMatchObject({ reply_count: 1, quote_count: 1 });
  });

  test('is refused as a duplicate for a day, but not as a reply to something else', async () => {
    expect((await sandbox.tweet('Say it once')).status).toBe(201);
    const again = await sandbox.tweet(' Say it once ');
    const detail = 'You are not allowed to create a Tweet with duplicate content.';
    expect(again.body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail });
    const target = (await sandbox.tweet('A target')).body.data;
    expect((await sandbox.tweet('Say it once', ada, { replyTo: target.id })).status).toBe(201);
    expect((await sandbox.tweet('Say it once', grace)).status).toBe(201);
    clock += DAY_MS + 1;
    expect((await sandbox.tweet('Say it once')).status).toBe(201);
  });

  test('has a later id than all others, even if the clock is set back', async () => {
    const later = (await sandbox.tweet('In order')).body.data;
    clock -= 5_000;
    const earlier = (await sandbox.tweet('Still in order')).body.data;
    clock += 5_000;
    expect(BigInt(earlier.id)).toBeGreaterThan(BigInt(later.id));
  });

  test.each([
    [{ text: '' }, 'text', []],
    [{ text: ' \n ' }, 'text', []],
    [{ text: 'x'.repeat(281) }, 'text', []],
    [{}, 'text', []],
    [{ text: 5 }, 'text', []],
    [{ text: 'a', poll: {} }, 'poll', []],
    [{ text: 'a', reply: 'b' }, 'reply', []],
    [{ text: 'a', reply: {} }, 'in_reply_to_tweet_id', []],
    [{ text: 'a', media: { media_ids: [] } }, 'media.media_ids', []],
    [{ text: 'a', media: { media_ids: ['1', '1'] } }, 'media.media_ids', []],
    [{ text: 'a', media: { media_ids: ['1'] } }, 'media.media_ids', ['1']],
  ])('is refused when it is %j', async (body, parameter, values) => {
    const reply = await sandbox.x('/2/tweets', grace, { method: 'POST', body });
    expect([reply.status, reply.body.errors[0].parameters]).toEqual([400, { [parameter]: values }]);
  });

  test('needs the posts that it refers to', async () => {
    for (const more of [{ replyTo: '123' }, { quoteOf: '123' }])
      expect(missing(await sandbox.tweet('To nobody', grace, more))).toEqual([200, 'resource-not-found', null]);
  });

  test('may be long for a premium account', async () => {
    expect((await sandbox.tweet('word '.repeat(200), ada)).status).toBe(201);
    const tooLong = await sandbox.tweet('x'.repeat(25_001), ada);
    expect(tooLong.body.errors[0].message).toBe('The text is 25001 long; 25000 are allowed');
  });
});

describe('an idempotency token', () => {
  const token = { 'idempotency-token': 'token-1' };

  test('returns the first result again, and refuses another body', async () => {
    const first = await sandbox.tweet('Only once, please', ada, {}, token);
    const again = await sandbox.tweet('Only once, please', ada, {}, token);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await sandbox.tweet('Something else', ada, {}, token)).status).toBe(409);
  });

  test('belongs to its actor and lasts a day', async () => {
    expect((await sandbox.tweet('Mine', grace, {}, token)).status).toBe(201);
    clock += DAY_MS + 1;
    expect((await sandbox.tweet('A day later', ada, {}, token)).body.data.text).toBe('A day later');
  });

  test('must be short and printable', async () => {
    const reply = await sandbox.tweet('Too long a token', ada, {}, { 'idempotency-token': 'x'.repeat(129) });
    expect(reply.body.errors[0].parameters).toEqual({ 'idempotency-token': [] });
  });
});
