import { describe, expect, test } from 'vitest';
import { openSandbox } from './harness.ts';

let clock = 1_760_000_000_000;
const DAY_MS = 86_400_000;

const sandbox = await openSandbox({ now: () => clock });

describe('a new tweet', () => {
  test('is returned, found by search and counted', async () => {
    const { status, body } = await sandbox.tweet('Testing the quokkaphone #demo $TEA with @grace https://a.example/b');
    expect(status).toBe(201);
    expect(body.tweet.author.screen_name).toBe('ada');
    expect(body.tweet.entities.hashtags).toEqual([{ text: 'demo', indices: [24, 29] }]);
    expect(body.tweet.entities.symbols[0].text).toBe('TEA');
    expect(body.tweet.entities.user_mentions[0]).toMatchObject({ screen_name: 'grace', id: sandbox.grace.userId });
    expect(body.tweet.entities.urls[0]).toMatchObject({
      expanded_url: 'https://a.example/b',
      display_url: 'a.example/b',
    });
    const found = await sandbox.search('quokkaphone', sandbox.grace);
    expect(found.map((tweet) => tweet.id)).toEqual([body.tweet.id]);
    const stats = await sandbox.call('GET', '/control/stats');
    expect(stats.body.tweets_created).toBe(1);
    const raw = await sandbox.call('GET', `/control/tweets?author=${sandbox.ada.userId}`);
    expect(raw.body.tweets.map((tweet: { id: string }) => tweet.id)).toContain(body.tweet.id);
  });

  test('belongs to the conversation of the tweet that it replies to, and is shown in quotes', async () => {
    const first = (await sandbox.tweet('The first of a thread')).body.tweet;
    const reply = (await sandbox.tweet('A reply', sandbox.grace, { reply_to_id: first.id })).body.tweet;
    const deeper = (await sandbox.tweet('A reply to it', sandbox.ada, { reply_to_id: reply.id })).body.tweet;
    expect(reply.in_reply_to).toEqual({ tweet_id: first.id, user_id: sandbox.ada.userId });
    expect(deeper.conversation_id).toBe(first.id);
    expect((await sandbox.get(`/api/tweets/${first.id}`)).body.tweet.counts.replies).toBe(1);
    const quote = (await sandbox.tweet('Look at this', sandbox.grace, { quote_of_id: first.id })).body.tweet;
    expect(quote.quoted).toMatchObject({ kind: 'tweet', id: first.id, quoted: null });
    const again = (await sandbox.tweet('And at this', sandbox.ada, { quote_of_id: quote.id })).body.tweet;
    expect(again.quoted.quoted).toBeNull();
    expect((await sandbox.get(`/api/tweets/${first.id}`)).body.tweet.counts.quotes).toBe(1);
  });

  test('is refused as a duplicate for a day, but not as a reply to something else', async () => {
    expect((await sandbox.tweet('Say it once')).status).toBe(201);
    const again = await sandbox.tweet(' Say it once ');
    expect(again.status).toBe(409);
    expect(again.body.problem).toMatchObject({ code: 'duplicate_tweet', message: 'Status is a duplicate.' });
    const target = (await sandbox.tweet('A target')).body.tweet;
    expect((await sandbox.tweet('Say it once', sandbox.ada, { reply_to_id: target.id })).status).toBe(201);
    expect((await sandbox.tweet('Say it once', sandbox.grace)).status).toBe(201);
    clock += DAY_MS + 1;
    expect((await sandbox.tweet('Say it once')).status).toBe(201);
  });

  test('has a later id than all others, even if the clock is set back', async () => {
    const later = (await sandbox.tweet('In order')).body.tweet;
    clock -= 5_000;
    const earlier = (await sandbox.tweet('Still in order')).body.tweet;
    clock += 5_000;
    expect(BigInt(earlier.id)).toBeGreaterThan(BigInt(later.id));
  });

  test.each([
    [{ text: '' }, 'text_empty'],
    [{ text: ' \n ' }, 'text_empty'],
    [{ text: 'x'.repeat(281) }, 'text_too_long'],
    [{}, 'bad_request'],
    [{ text: 5 }, 'bad_request'],
    [{ text: 'with media', media_ids: ['1'] }, 'not_found'],
    [{ text: 'to nobody', reply_to_id: '123' }, 'not_found'],
    [{ text: 'of nothing', quote_of_id: '123' }, 'not_found'],
  ])('is refused when it is %j', async (body, code) => {
    const reply = await sandbox.call('POST', '/api/tweets', { as: sandbox.grace, body });
    expect(reply.body.problem.code).toBe(code);
    expect(reply.status).toBe(code === 'not_found' ? 404 : 400);
  });

  test('may be long for a premium account', async () => {
    expect((await sandbox.tweet('word '.repeat(200), sandbox.ada)).status).toBe(201);
    const tooLong = await sandbox.tweet('x'.repeat(25_001), sandbox.ada);
    expect(tooLong.body.problem).toMatchObject({ code: 'text_too_long', length: 25_001, limit: 25_000 });
  });
});

describe('an idempotency token', () => {
  const token = { 'idempotency-token': 'token-1' };

  test('returns the first result again, and refuses another body', async () => {
    const first = await sandbox.tweet('Only once, please', sandbox.ada, {}, token);
    const again = await sandbox.tweet('Only once, please', sandbox.ada, {}, token);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.tweet.id).toBe(first.body.tweet.id);
    const other = await sandbox.tweet('Something else', sandbox.ada, {}, token);
    expect(other.status).toBe(409);
    expect(other.body.problem.code).toBe('idempotency_conflict');
  });

  test('belongs to its actor and lasts a day', async () => {
    expect((await sandbox.tweet('Mine', sandbox.grace, {}, token)).status).toBe(201);
    clock += DAY_MS + 1;
    const reused = await sandbox.tweet('A day later', sandbox.ada, {}, token);
    expect(reused.status).toBe(201);
    expect(reused.headers.get('idempotent-replayed')).toBeNull();
  });

  test('must be short and printable', async () => {
    const reply = await sandbox.tweet('Too long a token', sandbox.ada, {}, { 'idempotency-token': 'x'.repeat(129) });
    expect(reply.body.problem).toMatchObject({ code: 'bad_request', field: 'idempotency-token' });
  });
});
