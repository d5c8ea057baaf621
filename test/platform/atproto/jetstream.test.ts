import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityPage } from '../../../src/platform/port.ts';
import { type Runtime, systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { atEnd } from '../../support/at-end.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import { listen } from '../../support/listen.ts';
import { startReceiver } from '../../support/receiver.ts';
import { sessionOf } from './adapter-fixture.ts';
import { type AtprotoFixture, type Person, startAtprotoFixture } from './world.ts';

const waitMs = 3_600_000;

describe.skipIf(atprotoMissing() !== null)('an account that Jetstream watches', () => {
  let fixture: AtprotoFixture;
  let alice: Person;
  let bob: Person;
  let tweetId: string;

  beforeAll(async () => {
    fixture = await startAtprotoFixture({ ALLOW_LOCALHOST_WEBHOOKS: '1' }, async ({ jetstreamUrl }) => ({
      ATPROTO_JETSTREAM_URL: jetstreamUrl,
    }));
    [alice, bob] = [await fixture.join('alice'), await fixture.join('bob')];
    tweetId = await tweet(alice, { text: 'Looms remember patterns' });
  });
  afterAll(() => fixture?.stop());

  const done = async (answer: ReturnType<Person['client']['post']>) => {
    const { body } = await answer;
    expect(body.error).toBeNull();
    return body.data;
  };
  const tweet = async ({ client }: Person, input: Record<string, unknown>) =>
    String((await done(client.post('/tweet/create', input)))['id']);

  test('gets every type of event as soon as it happens, and its notifications are not read before', async () => {
    const feed = await watch(fixture, alice, fixture.network.jetstreamUrl);
    const actions: [object, () => Promise<unknown>][] = [
      [{ types: ['tweet.mention'] }, () => tweet(bob, { text: `Hello @${alice.handle}` })],
      [{ types: ['tweet.reply'] }, () => tweet(bob, { text: 'A reply', reply_to_tweet_id: tweetId })],
      [{ types: ['tweet.quote'] }, () => tweet(bob, { text: 'A quote', quote_tweet_id: tweetId })],
      [{ type: 'tweet.like' }, () => done(bob.client.post('/tweet/favorite', { tweet_id: tweetId }))],
      [{ type: 'tweet.retweet' }, () => done(bob.client.post('/tweet/retweet', { tweet_id: tweetId }))],
      [{ type: 'user.follow' }, () => done(bob.client.post('/user/follow', { username: alice.handle }))],
    ];
    for (const [event, act] of actions) {
      const next = feed.next();
      await feed.isWaiting(true);
      await act();
      expect((await next).events).toMatchObject([event]);
    }
  });

  test('is polled while the connection is lost, and watched again after it', async () => {
    const relay = await startRelay(fixture.network.jetstreamUrl);
    const feed = await watch(fixture, alice, relay.url);
    const away = feed.next();
    await feed.isWaiting(true);
    relay.cut();
    await feed.isWaiting(false);
    const id = await tweet(bob, { text: `While away @${alice.handle}` });
    expect((await away).events).toMatchObject([{ types: ['tweet.mention'], tweet: { id } }]);
    relay.mend();
    const next = feed.next();
    await feed.isWaiting(true);
    const later = await tweet(bob, { text: `And back @${alice.handle}` });
    expect((await next).events).toMatchObject([{ types: ['tweet.mention'], tweet: { id: later } }]);
  });

  test('gets each event once at its webhook', async () => {
    const receiver = await startReceiver();
    const { url, secret } = receiver;
    await done(alice.client.post('/webhooks', { url, secret }));
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      ids.push(await tweet(bob, { text: `Round ${round} @${alice.handle}` }));
      if (round % 2 === 0) await expect.poll(() => receiver.deliveries.length).toBe(ids.length);
    }
    await expect.poll(() => receiver.deliveries.length).toBe(ids.length);
    const received = receiver.deliveries.map(({ body }) => (JSON.parse(body) as { tweet_id: string }).tweet_id);
    expect(received.sort()).toEqual(ids.sort());
    expect(await fixture.sent('jetstream')).toBeGreaterThan(0);
  });
});

/** Reads the activity of a person with waits that only Jetstream can end. */
async function watch(fixture: AtprotoFixture, { handle, password }: Person, jetstreamUrl: string) {
  let waits = 0;
  const runtime: Runtime = {
    ...systemRuntime,
    after(delayMs, task) {
      // A wait of a watched account lasts until the next check of its notifications, after less than a minute.
      if (delayMs <= 30_000) return systemRuntime.after(delayMs, task);
      waits += 1;
      return {
        cancel() {
          waits -= 1;
        },
      };
    },
  };
  const session = sessionOf({ ...fixture.network, jetstreamUrl }, `${handle}:${password}`, runtime);
  let { cursor } = await session.activity({ count: 100, cursor: null });
  return {
    /** Returns the next page with events. */
    async next(): Promise<ActivityPage> {
      for (;;) {
        const page = await session.activity({ count: 100, cursor, waitMs });
        cursor = page.cursor;
        if (page.events.length > 0) return page;
      }
    },
    isWaiting: (expected: boolean) => expect.poll(() => waits > 0).toBe(expected),
  };
}

/** Relays connections to a server, and can break them. */
async function startRelay(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const behind = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => other.destroy());
    }
    client.pipe(behind).pipe(client);
  });
  const url = `ws://127.0.0.1:${await listen(server)}`;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  atEnd(cut);
  return {
    url,
    cut,
    mend() {
      isCut = false;
    },
  };
}
