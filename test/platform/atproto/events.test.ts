import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verify } from '../../../src/client/webhooks/index.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import type { Answer } from '../../support/client.ts';
import { findMongo, startMongo } from '../../support/mongo-server.ts';
import { startReceiver, type TestReceiver } from '../../support/receiver.ts';
import { type GatewayProcess, openGatewayProcesses } from './gateway-processes.ts';
import { type AtprotoFixture, type Person, startAtprotoFixture } from './world.ts';

type Event = Record<string, unknown> & { id: string; type: string };
type Data = Record<string, unknown>;

const mongo = findMongo();
const stores = ['SQLite', ...(mongo === null ? [] : ['MongoDB'])];

describe.skipIf(atprotoMissing() !== null)('the events of an account of the AT Protocol', () => {
  let fixture: AtprotoFixture;
  let alice: Person;
  let bob: Person;

  beforeAll(async () => {
    fixture = await startAtprotoFixture({ ALLOW_LOCALHOST_WEBHOOKS: '1' });
    [alice, bob] = [await fixture.join('alice'), await fixture.join('bob')];
  });
  afterAll(() => fixture?.stop());

  const data = (answer: Answer): Data => {
    expect(answer.body.error).toBeNull();
    return answer.body.data;
  };
  const tweet = async (person: Person, text: string, more: Data = {}): Promise<string> =>
    String(data(await person.client.post('/tweet/create', { text, ...more }))['id']);
  const receive = async (): Promise<TestReceiver> => {
    return startReceiver();
  };
  /** Returns the delivered events, each with its signature checked. */
  const eventsAt = ({ deliveries, secret }: TestReceiver): Event[] =>
    deliveries.map(({ body, headers }) => {
      verify(body, new Headers(headers as Record<string, string>), secret);
      return JSON.parse(body) as Event;
    });
  const register = async (receiver: TestReceiver, answer: Promise<Answer>) =>
    expect(data(await answer)).toMatchObject({ url: receiver.url, valid: true });
  const webhook = ({ url, secret }: TestReceiver) => ({ url, secret });
  const arrived = (receiver: TestReceiver, type: string, about: Data) =>
    expect.poll(() => eventsAt(receiver)).toContainEqual(expect.objectContaining({ type, ...about }));

  test('arrive at a webhook, at a live stream and at a subscription, once and with their content', async () => {
    const tweetId = await tweet(alice, 'Looms remember patterns');
    await tweet(bob, `Before the webhook, @${alice.handle}`);
    await expect
      .poll(async () => (data(await alice.client.get('/user/mentions'))['tweets'] as unknown[]).length)
      .toBe(1);
    const receiver = await receive();
    await register(receiver, alice.client.post('/webhooks', webhook(receiver)));
    const streamed = await streamOf(alice);
    const subscribed = await subscriptionOf(alice);
    const ids = {
      mention: await tweet(bob, `Hello @${alice.handle}`),
      reply: await tweet(bob, 'A reply', { reply_to_tweet_id: tweetId }),
      quote: await tweet(bob, 'A quote', { quote_tweet_id: tweetId }),
    };
    data(await bob.client.post('/tweet/favorite', { tweet_id: tweetId }));
    data(await bob.client.post('/tweet/retweet', { tweet_id: tweetId }));
    data(await bob.client.post('/user/follow', { username: alice.handle }));
    const bobId = String(data(await bob.client.get('/user/me'))['id']);
    const by = { author_id: bobId, author_screen_name: bob.handle, author_name: 'BOB' };
    const users = { actor_ids: [bobId], actor_screen_names: [bob.handle] };
    const expected = [
      { type: 'tweet.mention', tweet_id: ids.mention, text: `Hello @${alice.handle}`, ...by },
      { type: 'tweet.reply', tweet_id: ids.reply, text: 'A reply', in_reply_to_id: tweetId, ...by },
      { type: 'tweet.quote', tweet_id: ids.quote, text: 'A quote', quoted_tweet_id: tweetId, ...by },
      { type: 'tweet.like', tweet_id: tweetId, ...users },
      { type: 'tweet.retweet', tweet_id: tweetId, ...users },
      { type: 'user.follow', ...users },
    ];
    await expect.poll(() => eventsAt(receiver).length).toBeGreaterThanOrEqual(expected.length);
    // Whatever would arrive twice has arrived when a later event has.
    const last = await tweet(bob, `The last one, @${alice.handle}`);
    await arrived(receiver, 'tweet.mention', { tweet_id: last });
    const received = eventsAt(receiver);
    const withMeta = [...expected, { type: 'tweet.mention', tweet_id: last }].map((event) =>
      expect.objectContaining({ ...event, created_at: expect.stringMatching(/^\d{4}-.*Z$/) }),
    );
    expect(received).toHaveLength(withMeta.length);
    expect(received).toEqual(expect.arrayContaining(withMeta));
    await expect.poll(() => streamed().length).toBe(received.length);
    expect(new Set(streamed())).toEqual(new Set(received.map(({ id }) => id)));
    await expect.poll(() => subscribed().length).toBe(received.length);
    expect(new Set(subscribed())).toEqual(new Set(received.map(({ id }) => id)));
  });

  describe.each(stores)('with two gateways on one %s store', (name) => {
    test('arrive once, also after a restart and a kill', async () => {
      const server = name === 'MongoDB' && mongo ? await startMongo(mongo) : null;
      if (server) onTestFinished(() => server.stop());
      const processes = await openGatewayProcesses(fixture.network, server?.url('events') ?? null);
      onTestFinished(() => processes.stop());
      const gateways: [GatewayProcess, GatewayProcess] = [await processes.start(), await processes.start()];
      const people = [alice, bob];
      const receivers = new Map<Person, TestReceiver>();
      for (const person of people) {
        const receiver = await receive();
        receivers.set(person, receiver);
        const client = gateways[0].clientOf(`${person.handle}:${person.password}`);
        await register(receiver, client.post('/webhooks', webhook(receiver)));
      }
      const made: { receiver: TestReceiver; tweetId: string }[] = [];
      const mention = async () => {
        for (const [from, to] of [people, [...people].reverse()] as [Person, Person][]) {
          const receiver = receivers.get(to);
          if (receiver) made.push({ receiver, tweetId: await tweet(from, `Round ${made.length} @${to.handle}`) });
        }
      };
      const allArrived = async () => {
        for (const { receiver, tweetId } of made) await arrived(receiver, 'tweet.mention', { tweet_id: tweetId });
      };
      await mention();
      await allArrived();
      await mention();
      expect(await gateways[0].end('SIGTERM')).toBe(0);
      await mention();
      gateways[0] = await processes.start();
      await mention();
      await allArrived();
      for (const receiver of receivers.values()) {
        const tweetIds = eventsAt(receiver).map((event) => event['tweet_id']);
        expect(tweetIds.sort()).toEqual(
          made.flatMap((each) => (each.receiver === receiver ? [each.tweetId] : [])).sort(),
        );
      }
      await mention();
      await gateways[1].end('SIGKILL');
      await mention();
      await allArrived();
      for (const receiver of receivers.values()) {
        // A delivery whose result was not stored before the kill is repeated, with the same id and bytes.
        const bodies = new Set(receiver.deliveries.map(({ body }) => body));
        expect(bodies.size).toBe(made.filter((each) => each.receiver === receiver).length);
      }
    });
  });

  test.each([
    ['before the server has received it', 'request'],
    ['after the server has performed it', 'response'],
  ] as const)(
    'a post whose gateway is killed %s is posted once when it is repeated with its Idempotency-Key',
    async (_name, held) => {
      const processes = await openGatewayProcesses(fixture.network, null);
      onTestFinished(() => processes.stop());
      const proxy = await startHoldingProxy(held);
      onTestFinished(proxy.stop);
      const text = `Only once: ${held}`;
      const post = (gateway: GatewayProcess) =>
        gateway
          .clientOf(`${bob.handle}:${bob.password}`)
          .post('/tweet/create', { text, proxy: proxy.url }, { 'idempotency-key': `killed-${held}` });
      const first = await processes.start();
      const lost = post(first).catch(() => 'lost');
      await proxy.held;
      const count = async () => {
        const query = new URLSearchParams({ repo: bob.did, collection: 'app.bsky.feed.post', limit: '100' });
        const response = await fetch(`${fixture.network.pdsUrl}/xrpc/com.atproto.repo.listRecords?${query}`);
        const { records } = (await response.json()) as { records: { value: { text: string } }[] };
        return records.filter(({ value }) => value.text === text).length;
      };
      await expect.poll(count).toBe(held === 'response' ? 1 : 0);
      await first.end('SIGKILL');
      expect(await lost).toBe('lost');
      proxy.release();
      const second = await processes.start();
      // The claim of the killed gateway expires after some seconds.
      await expect.poll(async () => (await post(second)).status, { interval: 1_000 }).toBe(200);
      expect(await count()).toBe(1);
    },
  );

  async function streamOf(person: Person): Promise<() => string[]> {
    const { baseUrl, key, authToken } = person.client.options;
    return read(await open(`${baseUrl}/events`, { authorization: `Bearer ${key}`, 'x-auth-token': authToken ?? '' }));
  }

  async function subscriptionOf(person: Person): Promise<() => string[]> {
    const { baseUrl, key, authToken } = person.client.options;
    const headers = {
      authorization: `Bearer ${key}`,
      'x-auth-token': authToken ?? '',
      'content-type': 'application/json',
      accept: 'text/event-stream',
    };
    return read(await open(baseUrl.replace('/v1', '/graphql'), headers, '{"query":"subscription { events { id } }"}'));
  }
});

async function open(url: string, headers: Record<string, string>, body?: string): Promise<Response> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(url, { method, headers, signal: ending.signal, ...(body && { body }) });
  expect(response.status).toBe(200);
  return response;
}

/** Returns a function that returns the ids of the events that a stream has sent so far. */
function read(response: Response): () => string[] {
  let text = '';
  void (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })().catch(() => {});
  return () => [...text.matchAll(/"id":"(evt_[\w-]+)"/g)].map(([, id]) => id ?? '');
}

/** A forward proxy that stops a tunnel at the request to create a record, or at the response to it. */
async function startHoldingProxy(held: 'request' | 'response') {
  let isHolding = true;
  let tell = () => {};
  const isHeld = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (head) => {
      const [, host = '', port = ''] = /^CONNECT ([\w.]+):(\d+) /.exec(head.toString()) ?? [];
      const target = connect(Number(port), host, () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
      sockets.add(target);
      target.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => target.destroy());
      let isCreating = false;
      client.on('data', (chunk) => {
        isCreating ||= isHolding && chunk.includes('com.atproto.repo.createRecord');
        if (isCreating && held === 'request') return tell();
        target.write(chunk);
      });
      target.on('data', (chunk) => (isCreating ? tell() : client.write(chunk)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    held: isHeld,
    release() {
      isHolding = false;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
