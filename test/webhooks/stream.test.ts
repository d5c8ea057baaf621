import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let open: AbortController[];

beforeEach(async () => {
  service = await startService({ SANDBOX_ACTIVITY: '0' });
  open = [];
});
afterEach(async () => {
  for (const each of open) each.abort();
  await service.stop();
});

interface Frame {
  id?: string;
  event?: string;
  data?: string;
}

/** Reads a stream frame by frame, as browsers do (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
class Reader {
  readonly response: Response;
  readonly #frames: AsyncIterator<Frame>;

  constructor(response: Response) {
    this.response = response;
    this.#frames = frames(response);
  }

  async next(): Promise<Frame | null> {
    const { done, value } = await this.#frames.next();
    return done ? null : value;
  }

  async take(count: number): Promise<Frame[]> {
    const taken: Frame[] = [];
    while (taken.length < count) taken.push((await this.next()) ?? { event: 'the end' });
    return taken;
  }
}

async function* frames(response: Response): AsyncGenerator<Frame> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const fields = lines.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s, 2));
      if (fields.length > 0) yield Object.fromEntries(fields) as Frame;
    }
  }
}

async function stream(query = '', headers: Record<string, string> = {}): Promise<Reader> {
  const { demo } = service;
  const controller = new AbortController();
  open.push(controller);
  const response = await fetch(`${demo.baseUrl}/events${query}`, {
    signal: controller.signal,
    headers: { authorization: `Bearer ${demo.apiKey}`, 'x-auth-token': demo.accounts[0]?.authToken ?? '', ...headers },
  });
  return new Reader(response);
}

async function happen(type: string, count = 1): Promise<void> {
  const response = await fetch(`${service.demo.sandboxUrl}/control/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, userName: 'ada', count }),
  });
  expect(response.status).toBe(201);
}

describe('the live stream', () => {
  test('tells what happens from now on, each with its id, and costs one call', async () => {
    await happen('like');
    const reader = await stream();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('x-credits-charged')).toBe('0.001');
    await happen('follow', 2);
    const events = await reader.take(2);
    for (const { id, event, data } of events) {
      expect(event).toBe('user.follow');
      expect(JSON.parse(data ?? '')).toMatchObject({ id, type: 'user.follow', actor_ids: [expect.any(String)] });
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  test('goes on behind the last event that the reader has, without a gap', async () => {
    const first = await stream();
    await happen('like', 3);
    const [, second] = await first.take(3);
    open[0]?.abort();
    await happen('mention');
    const again = await stream('', { 'last-event-id': second?.id ?? '' });
    const [third, fourth] = await again.take(2);
    expect([third?.event, fourth?.event]).toEqual(['tweet.like', 'tweet.mention']);
  });

  test('says so where what the reader has last is not known', async () => {
    await stream();
    const reader = await stream('?last_event_id=evt_nobody_has');
    expect(await reader.next()).toMatchObject({ event: 'gap' });
  });

  test('tells only of the types that were asked for', async () => {
    const reader = await stream('?types=user.follow,tweet.reply');
    await happen('like');
    await happen('reply');
    expect(await reader.next()).toMatchObject({ event: 'tweet.reply' });
  });

  test('is refused like any call, and then costs nothing', async () => {
    const refusals: [string, Record<string, string>, number, RegExp][] = [
      ['', { authorization: '' }, 401, /Missing API key/],
      ['', { 'x-auth-token': '' }, 400, /auth_token/],
      ['', { 'x-auth-token': 'nobody' }, 403, /Platform rejected auth_token/],
      ['?types=tweet.unknown', {}, 400, /types/],
    ];
    for (const [query, headers, status, message] of refusals) {
      const { response } = await stream(query, headers);
      expect(response.status).toBe(status);
      expect(((await response.json()) as { error: string }).error).toMatch(message);
      expect(response.headers.get('x-credits-charged')).toBeNull();
    }
  });

  test('ends when the service stops', async () => {
    const reader = await stream();
    const ended = reader.next();
    const stopping = service.stop();
    expect(await ended).toBeNull();
    await stopping;
    service = await startService({ SANDBOX_ACTIVITY: '0' });
  });

  test('ends once its key is revoked, and says why', async () => {
    const { id, key, keyId } = await service.makeAccount('1');
    expect(id).toBeTruthy();
    const reader = await stream('', { authorization: `Bearer ${key}` });
    await service.revokeKey(keyId);
    expect(await reader.next()).toMatchObject({ event: 'error', data: '{"reason":"key_revoked"}' });
    expect(await reader.next()).toBeNull();
  });
});
