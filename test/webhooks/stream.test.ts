import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { onSqlite } from '../support/on-sqlite.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { eventsOf, streamFixture } from './stream-fixture.ts';

const fixture = streamFixture();

interface Frame {
  id?: string;
  event?: string;
  data?: string;
}

/** Reads a stream frame by frame, as browsers do (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
class Reader {
  readonly response: Response;
  readonly end: () => void;
  readonly #frames: AsyncIterator<Frame>;

  constructor(response: Response, end: () => void) {
    this.response = response;
    this.end = end;
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
  for await (const text of eventsOf(response)) {
    const lines = text.split('\n').filter((line) => !line.startsWith(':'));
    if (lines.length > 0) yield Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2))) as Frame;
  }
}

async function stream(query = '', headers: Record<string, string> = {}): Promise<Reader> {
  const { response, end } = await fixture.open(`${fixture.service.demo.baseUrl}/events${query}`, { headers });
  return new Reader(response, end);
}

describe('the live stream', () => {
  test('sends later events with their ids, and costs one call', async () => {
    await fixture.happen('like');
    const reader = await stream();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('x-credits-charged')).toBe('0.001');
    await fixture.happen('follow', 2);
    const events = await reader.take(2);
    for (const { id, event, data } of events) {
      expect(event).toBe('user.follow');
      expect(JSON.parse(data ?? '')).toMatchObject({ id, type: 'user.follow', actor_ids: [expect.any(String)] });
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  test('continues after Last-Event-ID without a gap', async () => {
    const first = await stream();
    await fixture.happen('like', 3);
    const [, second] = await first.take(3);
    first.end();
    await fixture.happen('mention');
    const again = await stream('', { 'last-event-id': second?.id ?? '' });
    const [third, fourth] = await again.take(2);
    expect([third?.event, fourth?.event]).toEqual(['tweet.like', 'tweet.mention']);
  });

  test('reports an unknown Last-Event-ID', async () => {
    await stream();
    const reader = await stream('?last_event_id=evt_nobody_has');
    expect(await reader.next()).toMatchObject({ event: 'gap' });
  });

  test('sends only events of the requested types', async () => {
    const reader = await stream('?types=user.follow,tweet.reply');
    await fixture.happen('like');
    await fixture.happen('reply');
    expect(await reader.next()).toMatchObject({ event: 'tweet.reply' });
  });

  test('sends a tweet once, as the first of its types that are requested, also after Last-Event-ID', async () => {
    const { demo } = fixture.service;
    const as = (at: number) => new Client({ ...demo, key: demo.apiKey, authToken: demo.accounts[at]?.authToken ?? '' });
    const { id } = (await as(0).post('/tweet/create', { text: 'Mine' })).body.data;
    const [all, mentions] = [await stream(), await stream('?types=tweet.mention')];
    const both = { reply_to_tweet_id: id, quote_tweet_id: id };
    await as(1).post('/tweet/create', { text: 'Well said, @ada', ...both });
    await fixture.happen('mention');
    const [first] = await mentions.take(2);
    expect(first).toMatchObject({ event: 'tweet.mention', data: expect.stringContaining('Well said') });
    const told = await all.take(2);
    expect(told).toMatchObject([
      { event: 'tweet.reply', data: expect.stringContaining('Well said') },
      { event: 'tweet.mention' },
    ]);
    const again = await stream('', { 'last-event-id': told[0]?.id ?? '' });
    expect(await again.next()).toEqual(told[1]);
  });

  test('is refused like any call, and then costs nothing', async () => {
    const refusals: [string, Record<string, string>, number, RegExp][] = [
      ['', { authorization: '' }, 401, /Missing API key/],
      ['', { 'x-auth-token': '' }, 400, /auth_token/],
      ['', { 'x-auth-token': 'nobody' }, 403, /Platform rejected auth_token/],
      ['?types=tweet.unknown', {}, 400, /^Malformed field: types\[0\]: must be one of message.received, /],
      ['?types=', {}, 400, /^Malformed field: types: must name at least one type, or be left out for all$/],
      ['?types=message.received', {}, 400, /^Missing required field: encryption_code: .* x-encryption-code$/],
      ['?types=tweet.like,message.reactionAdded', {}, 400, /^Missing required field: encryption_code: /],
      ['?types=tweet.like,%20user.follow', {}, 400, /^Malformed field: types: .* without blanks$/],
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
    const stopping = fixture.service.stop();
    expect(await ended).toBeNull();
    await stopping;
  });

  test('ends with a reason when its key is revoked', async () => {
    const { id, key, keyId } = await fixture.service.makeAccount('1');
    expect(id).toBeTruthy();
    const reader = await stream('', { authorization: `Bearer ${key}` });
    await fixture.service.revokeKey(keyId);
    expect(await reader.next()).toMatchObject({ event: 'error', data: '{"reason":"key_revoked"}' });
    expect(await reader.next()).toBeNull();
  });

  test('reports a gap if the platform has lost events, and continues after it', async () => {
    const { service } = fixture;
    const reader = await stream('?types=tweet.reply');
    await fixture.happen('reply');
    await reader.take(1);
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'activity', times: null });
    // More events than the sandbox stores for one account.
    for (let made = 0; made <= 10_000; made += 2_000) await fixture.happen('mention', 2_000);
    await new SandboxControl(service.demo.sandboxUrl).clearFaults();
    const gap = await reader.next();
    expect(gap).toMatchObject({ event: 'gap', data: expect.stringContaining('The platform did not keep') });
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toMatch(/^postern_activity_gaps_total 1$/m);
    expect(service.log.some((line) => line.includes('events are missing'))).toBe(true);
    const again = await stream('?types=tweet.reply', { 'last-event-id': gap?.id ?? '' });
    await until(async () => {
      await fixture.happen('reply');
      expect(await again.next()).toMatchObject({ event: 'tweet.reply' });
    });
  });

  test('reports a gap if no poller ran for some time after Last-Event-ID', async () => {
    const first = await stream();
    await fixture.happen('like');
    const [last] = await first.take(1);
    const path = join(fixture.service.dataDir, 'postern.sqlite');
    const over = () => onSqlite(path, (raw) => raw.exec('UPDATE poller SET streamed_until = 1'));
    over();
    first.end();
    // The poller is kept for five more minutes; this ends that time.
    const kept = () => onSqlite(path, (raw) => raw.prepare('SELECT 1 FROM poller WHERE streamed_until > 1').get());
    await until(() => expect(kept()).toBeDefined());
    over();
    await fixture.happen('like');
    const again = await stream('', { 'last-event-id': last?.id ?? '' });
    expect(await again.next()).toMatchObject({ event: 'gap', data: expect.stringContaining('nobody listened') });
    await fixture.happen('follow');
    expect(await again.next()).toMatchObject({ event: 'user.follow' });
  });
});
