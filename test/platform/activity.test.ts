import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import type { PlatformSession } from '../../src/platform/port.ts';
import { SandboxPlatform } from '../../src/platform/sandbox/adapter.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { type Account, openSandbox } from '../sandbox/harness.ts';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';

function platformAt(origin: string): SandboxPlatform {
  const guard = new OutboundGuard({ allow: [], runtime: systemRuntime });
  const proxies = new ProxyPool({ guard, runtime: systemRuntime, maxResponseBytes: 1_024, timeoutMs: 1_000 });
  const platform = new SandboxPlatform({ origin, timeoutMs: 5_000, runtime: systemRuntime, proxies });
  atEnd(() => proxies.close());
  atEnd(() => platform.close());
  return platform;
}

const sessionOf = (platform: SandboxPlatform, authToken: string): PlatformSession =>
  platform.as({
    account: 'acc',
    authToken: new Secret(authToken),
    proxy: null,
    signal: null,
    tokenFor: () => 'unused',
  });

describe('the activity of a sandbox account', async () => {
  const sandbox = await openSandbox();
  let account: Account;
  let session: PlatformSession;
  let cursor: string;

  beforeEach(async () => {
    account = await sandbox.mint();
    await sandbox.tweet('Mine', account);
    session = sessionOf(platformAt(sandbox.url), account.authToken);
    cursor = (await session.activity({ count: 10, cursor: null })).cursor;
  });
  afterEach(() => sandbox.control('faults/clear'));

  const make = (type: string, more: object = {}) =>
    sandbox.control('events', { type, userName: account.userName, actor: 'grace', ...more });

  test('has the six types of the port, in order', async () => {
    for (const type of ['mention', 'reply', 'quote', 'like', 'retweet', 'follow']) await make(type);
    const page = await session.activity({ count: 10, cursor });
    const own = (await sandbox.x(`/2/users/${account.userId}/tweets`)).body.data[0];
    const tweet = (inReplyToId: string | null, quotedTweetId: string | null) => ({
      id: expect.stringMatching(/^\d+$/),
      text: expect.any(String),
      inReplyToId,
      quotedTweetId,
    });
    const mine = { id: own.id };
    const told = [
      [{ types: ['tweet.mention'] }, tweet(null, null)],
      [{ types: ['tweet.reply'] }, tweet(own.id, null)],
      [{ types: ['tweet.quote'] }, tweet(null, own.id)],
      [{ type: 'tweet.like' }, mine],
      [{ type: 'tweet.retweet' }, mine],
      [{ type: 'user.follow' }, null],
    ] as const;
    expect(page).toEqual({
      events: told.map(([type, about]) => ({
        id: expect.stringMatching(/^\d+$/),
        ...type,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        actor: { id: sandbox.grace.userId, userName: 'grace', name: 'Grace Hollis' },
        tweet: about,
      })),
      cursor: expect.any(String),
      gap: false,
    });
  });

  test('has one event per tweet, with all types that apply', async () => {
    const own = (await sandbox.x(`/2/users/${account.userId}/tweets`)).body.data[0];
    const named = `Hello @${account.userName}`;
    await sandbox.tweet(named, sandbox.grace, { replyTo: own.id, quoteOf: own.id });
    await sandbox.tweet(`${named} again`, sandbox.grace, { quoteOf: own.id });
    expect((await session.activity({ count: 10, cursor })).events).toMatchObject([
      { types: ['tweet.reply', 'tweet.quote', 'tweet.mention'] },
      { types: ['tweet.quote', 'tweet.mention'] },
    ]);
  });

  test('is read page by page, and an empty page also has a cursor', async () => {
    await make('like', { actor: undefined, count: 7 });
    const seen = new Set<string>();
    for (const length of [3, 3, 1, 0, 0]) {
      const page = await session.activity({ count: 3, cursor });
      expect(page.events).toHaveLength(length);
      for (const { id } of page.events) seen.add(id);
      cursor = page.cursor;
    }
    expect(seen.size).toBe(7);
    await make('follow');
    expect((await session.activity({ count: 3, cursor })).events).toHaveLength(1);
  });

  test.each<[string, object, string, string]>([
    ['a page of HTML', { kind: 'nonsense' }, 'platform_unavailable', 'cannot be understood'],
    ['JSON of another shape', { kind: 'wrong_shape' }, 'platform_unavailable', 'cannot be understood'],
    ['a failure', { kind: 'status', status: 500 }, 'platform_unavailable', 'failed with status 500'],
    ['its rate limit', { kind: 'rate_limit', retry_after: 0 }, 'rate_limited', 'rate limit'],
    ['a token rejected', { kind: 'status', status: 401 }, 'forbidden', 'Platform rejected auth_token'],
  ])('answered with %s is told so, and the same cursor still finds everything', async (_name, fault, code, message) => {
    await make('like');
    await sandbox.fault(fault, { operation: 'activity' });
    await expect(session.activity({ count: 3, cursor })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect((await session.activity({ count: 3, cursor })).events).toHaveLength(1);
  });

  test('refuses an unknown token as forbidden, and a foreign or expired cursor as bad input', async () => {
    const stranger = sessionOf(platformAt(sandbox.url), 'f'.repeat(40));
    const other = sessionOf(platformAt(sandbox.url), sandbox.ada.authToken);
    const request = { count: 3, cursor };
    await expect(stranger.activity(request)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(other.activity(request)).rejects.toMatchObject({ code: 'bad_input' });
    const { cursor: before } = await other.activity({ count: 3, cursor: null });
    await sandbox.control('reset');
    await expect(other.activity({ count: 3, cursor: before })).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('the response of a platform', async () => {
  let answer: unknown;
  const port = await listen(createServer((_request, response) => response.end(JSON.stringify(answer))));
  const session = sessionOf(platformAt(`http://127.0.0.1:${port}`), 'any');

  const read = (given: unknown) => {
    answer = given;
    return session.activity({ count: 3, cursor: null });
  };
  const actor = { id: '7', screen_name: 'grace', name: 'Grace' };
  const tweet = { id: '8', text: 'Hi', in_reply_to_id: null, quoted_tweet_id: null };
  const mention = { id: '9', type: 'mention', created_at: '2026-05-20T12:00:00.000Z', actor, tweet };
  const page = (...events: unknown[]) => ({ data: events, meta: { gap: true, next_token: 'next' } });

  test('cuts a text that is longer than the platform allows, and no surrogate pair', async () => {
    const text = `${'x'.repeat(24_999)}\u{1f600}`;
    const { events } = await read(page({ ...mention, tweet: { ...tweet, text } }));
    expect(events[0]?.tweet).toMatchObject({ text: 'x'.repeat(24_999) });
  });

  test.each([
    ['more events than were asked for', page(mention, mention, mention, mention)],
    ['a screen name that is too long', page({ ...mention, actor: { ...actor, screen_name: 'x'.repeat(201) } })],
    ['a name that is too long', page({ ...mention, actor: { ...actor, name: 'x'.repeat(201) } })],
    ['a cursor that is too long', { ...page(mention), meta: { gap: true, next_token: 'x'.repeat(4_097) } }],
  ])('with %s is refused', async (_name, response) => {
    await expect(read(response)).rejects.toMatchObject({ reason: 'platform_unreadable' });
  });

  test('can have unknown fields and types', async () => {
    const poke = { id: '10', type: 'poke', poked: true };
    expect(await read({ ...page(poke, { ...mention, more: 1 }), more: 2 })).toEqual({
      events: [
        {
          id: '9',
          types: ['tweet.mention'],
          createdAt: mention.created_at,
          actor: { id: '7', userName: 'grace', name: 'Grace' },
          tweet: { id: '8', text: 'Hi', inReplyToId: null, quotedTweetId: null },
        },
      ],
      cursor: 'next',
      gap: true,
    });
  });

  test.each<[string, unknown]>([
    ['no events', { meta: { gap: false, next_token: 'next' } }],
    ['no cursor', { ...page(), meta: { gap: true, next_token: null } }],
    ['no gap', { ...page(), meta: { next_token: 'next' } }],
    ['an event that is none', page('like')],
    ['an event without a type', page({ ...mention, type: 3 })],
    ['an event whose id is no id', page({ ...mention, id: 9 })],
    ['an event of no time', page({ ...mention, created_at: 'lately' })],
    ['an event by nobody', page({ ...mention, actor: null })],
    ['a mention in nothing', page({ ...mention, tweet: null })],
    ['a tweet without text', page({ ...mention, tweet: { ...tweet, text: undefined } })],
    ['a tweet that answers itself in words', page({ ...mention, tweet: { ...tweet, in_reply_to_id: 'that one' } })],
    ['a tweet that quotes something unsaid', page({ ...mention, tweet: { ...tweet, quoted_tweet_id: undefined } })],
  ])('is never data where it has %s', async (_name, given) => {
    await expect(read(given)).rejects.toMatchObject({
      code: 'platform_unavailable',
      message: expect.stringContaining('cannot be understood'),
    });
  });
});
