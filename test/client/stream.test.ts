import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { AuthenticationError, Postern, ServerError, type StreamEvent } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/transport.ts';
import { useService } from '../support/use-service.ts';
import { errorOf, type Scripted, scriptedServer } from './scripted-server.ts';

const { service, sandbox } = await useService();

describe('the stream of a service', () => {
  test('continues after a broken connection without loss and without repetition', async () => {
    const { apiKey, baseUrl, accounts } = service.demo;
    const cuts: AbortController[] = [];
    const cuttable: ClientOptions['fetch'] = (url, init) => {
      const cut = new AbortController();
      cuts.push(cut);
      return fetch(url, { ...init, signal: AbortSignal.any([cut.signal, init.signal as AbortSignal]) });
    };
    const postern = new Postern({ baseUrl, apiKey, authToken: accounts[0].authToken, fetch: cuttable });
    const stream = postern.events({ types: ['tweet.mention', 'tweet.like'] });
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    const mention = () => sandbox.makeEvents({ type: 'mention', userName: 'ada' });
    const received: StreamEvent[] = [];
    const take = async (next: Promise<IteratorResult<StreamEvent, void>>) => {
      const { value } = await next;
      if (value) received.push(value);
    };
    // The stream contains only events after the response has begun.
    const mentions = setInterval(() => void mention(), 200);
    await take(first);
    clearInterval(mentions);
    for (let round = 0; round < 3; round++) {
      cuts.at(-1)?.abort();
      await mention();
      await mention();
      await take(events.next());
      await take(events.next());
    }
    expect(stream.lastEventId).toBe(received.at(-2)?.id);
    await events.return(undefined);
    // Another client that has the first event gets exactly the same events after it.
    const again = postern.events({ last_event_id: String(received[0]?.id) });
    const others: (string | null)[] = [];
    for await (const { id } of again) if (others.push(id) === received.length - 1) break;
    expect(others).toEqual(received.slice(1).map(({ id }) => id));
  });
});

/** Writes frames, and then ends the response or leaves it open. */
const frames =
  (text: string, end = true): Scripted =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`: open\n\n${text}`);
    if (end) response.end();
  };
const like = (id: string) =>
  `id: ${id}\nevent: tweet.like\ndata: ${JSON.stringify({ id, type: 'tweet.like', tweet_id: '1' })}\n\n`;

const start = (...script: Scripted[]) => scriptedServer(script);

test('each connection continues after the last event, and a gap is reported', async () => {
  const gap = 'event: gap\ndata: {"reason":"Events may be missing"}\n\n';
  const half = like('evt_3').slice(0, 30);
  const { postern, requests } = await start(
    frames(like('evt_1') + like('evt_2') + half),
    frames(gap + like('evt_3')),
    frames('event: error\ndata: {"reason":"slow_consumer"}\n\n', false),
    frames(like('evt_4'), false),
  );
  const ids: (string | null)[] = [];
  for await (const event of postern.events({ types: ['tweet.like', 'user.follow'], last_event_id: 'evt_0' })) {
    ids.push(event.id);
    if (event.type === 'gap') expect(event.reason).toBe('Events may be missing');
    if (event.type === 'tweet.like') expectTypeOf(event.tweet_id).toEqualTypeOf<string>();
    if (event.id === 'evt_4') break;
  }
  expect(ids).toEqual(['evt_1', 'evt_2', null, 'evt_3', 'evt_4']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['evt_0', 'evt_2', 'evt_3', 'evt_3']);
  expect(requests[0]?.url).toBe('/v1/events?types=tweet.like%2Cuser.follow');
});

test('an event that the loop did not handle comes again in the next loop', async () => {
  const { postern, requests } = await start(frames(like('evt_1') + like('evt_2'), false), frames(like('evt_2'), false));
  const stream = postern.events();
  const handled: (string | null)[] = [];
  const handle = async () => {
    for await (const { id } of stream) {
      if (id === 'evt_2' && requests.length === 1) throw new Error('The handler failed');
      handled.push(id);
      if (id === 'evt_2') return;
    }
  };
  expect((await errorOf(handle()))?.message).toBe('The handler failed');
  await handle();
  expect(handled).toEqual(['evt_1', 'evt_2']);
});

test('an error that a retry cannot repair ends the loop', async () => {
  const refused: Scripted = { status: 401, error: 'Revoked API key' };
  const ended = frames(`${like('evt_1')}event: error\ndata: {"reason":"key_revoked"}\n\n`);
  const { postern, requests } = await start(ended, refused);
  const ids: (string | null)[] = [];
  const loop = async () => {
    for await (const { id } of postern.events()) ids.push(id);
  };
  expect(await errorOf(loop())).toBeInstanceOf(AuthenticationError);
  expect({ ids, requests: requests.length }).toEqual({ ids: ['evt_1'], requests: 2 });
});

test('the first connection is tried as often as a call', async () => {
  const { postern, requests } = await start({ status: 503, error: 'Overloaded' });
  const loop = async () => {
    for await (const { id } of postern.events({}, { maxRetries: 1 })) expect(id).toBeNull();
  };
  expect(await errorOf(loop())).toBeInstanceOf(ServerError);
  expect(requests).toHaveLength(2);
});

test.each([
  ['while the stream is open', frames('', false)],
  ['in the pause before a new connection', { status: 503, headers: { 'retry-after': '50' } }],
] satisfies [string, Scripted][])('a signal ends the loop with its reason, %s', async (_, response) => {
  const { postern, requests } = await start(response);
  const controller = new AbortController();
  const loop = async () => {
    for await (const { id } of postern.events({}, { signal: controller.signal })) expect(id).toBeNull();
  };
  const ended = errorOf(loop());
  await expect.poll(() => requests.length).toBe(1);
  const reason = new Error('The program ends');
  controller.abort(reason);
  expect(await ended).toBe(reason);
});

test('leaving the loop closes the connection', async () => {
  let closed = false;
  const { postern } = await start((response) => {
    response.once('close', () => {
      closed = true;
    });
    response.writeHead(200).write(like('evt_1'));
  });
  for await (const { id } of postern.events()) {
    expect(id).toBe('evt_1');
    break;
  }
  await expect.poll(() => closed).toBe(true);
});

test('a connection that breaks before the first event is reported as a gap', async () => {
  const { postern, requests } = await start(frames(''), frames(like('evt_1'), false));
  const types: string[] = [];
  for await (const { type } of postern.events()) if (types.push(type) === 2) break;
  expect(types).toEqual(['gap', 'tweet.like']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined]);
});

test('a connection without data for 45 s is opened again, even if fetch ignores its signal', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const bodies = [like('evt_1'), like('evt_2')];
  const afters: (string | undefined)[] = [];
  const silent: ClientOptions['fetch'] = async (_url, { headers }) => {
    const { 'last-event-id': after } = headers as Record<string, string>;
    const body = new TextEncoder().encode(bodies[afters.push(after) - 1]);
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(body) }));
  };
  const postern = new Postern({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'key', fetch: silent });
  const events = postern.events()[Symbol.asyncIterator]();
  expect((await events.next()).value?.id).toBe('evt_1');
  // The time that the handler needs is not silence.
  await vi.advanceTimersByTimeAsync(600_000);
  const second = events.next();
  await vi.advanceTimersByTimeAsync(44_999);
  expect(afters).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1 + 500);
  expect((await second).value?.id).toBe('evt_2');
  expect(afters).toEqual([undefined, 'evt_1']);
});
