import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import type { Client } from '../support/client.ts';
import { restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { useStore } from '../support/use-store.ts';
import { startWebhookFixture } from './fixture.ts';
import { eventsOf } from './stream-fixture.ts';

/** The number of reads of events by all readers. */
let reads = 0;
/** The time in milliseconds before the position at which a stream begins is read. */
let startDelayMs = 0;
const { store, env } = await useStore();
const after: Store['events']['after'] = (...given) => {
  reads += 1;
  return store.events.after(...given);
};
const lastPlace: Store['events']['lastPlace'] = async (...given) => {
  await pause(startDelayMs);
  return store.events.lastPlace(...given);
};
const openCounted = () => Object.create(store, { events: { value: { ...store.events, after, lastPlace } } }) as Store;
const fixture = await startWebhookFixture({ ...env, MAX_STREAMS_PER_KEY: '20' }, { openStore: openCounted });

interface Opened {
  response: Response;
  ids: string[];
  end: () => void;
}

/** Opens a stream and collects the ids of its events. */
async function open(client: Client, headers: Record<string, string> = {}): Promise<Opened> {
  const controller = new AbortController();
  const response = await fetch(`${client.options.baseUrl}/events`, {
    signal: controller.signal,
    headers: { ...client.headers, ...headers },
  });
  const ids: string[] = [];
  if (response.status === 200) void collect(response, ids).catch(() => {});
  return { response, ids, end: () => controller.abort() };
}

async function collect(response: Response, ids: string[]): Promise<void> {
  for await (const text of eventsOf(response)) {
    const id = /^id: (.*)$/m.exec(text)?.[1];
    if (id) ids.push(id);
  }
}

test('20 idle streams of each of 5 pollers read the store five times a second, and all receive the events in order', async () => {
  const actors = await Promise.all(Array.from({ length: 5 }, () => fixture.actor()));
  const streams = await Promise.all(
    actors.map(({ client }) => Promise.all(Array.from({ length: 20 }, () => open(client)))),
  );
  await pause(1_500);
  reads = 0;
  await pause(4_000);
  expect(reads).toBeLessThanOrEqual(5 * 5);
  for (const { account } of actors) await fixture.happen(account, 'follow', 150);
  await until(() => {
    for (const each of streams.flat()) expect(each.ids).toHaveLength(150);
  });
  for (const ofActor of streams) {
    const [first] = ofActor;
    expect(new Set(first?.ids).size).toBe(150);
    for (const { ids } of ofActor) expect(ids).toEqual(first?.ids);
  }
  // A reader that reconnects catches up by itself and then shares the feed.
  const [actor] = actors;
  const known = streams[0]?.[0]?.ids ?? [];
  if (!actor) throw new Error('there are five');
  streams[0]?.[0]?.end();
  await pause(300);
  const again = await open(actor.client, { 'last-event-id': known[9] ?? '' });
  await until(() => expect(again.ids).toEqual(known.slice(10)));
  await fixture.happen(actor.account, 'follow', 3);
  await until(() => expect(again.ids).toHaveLength(143));
  expect(streams[0]?.[1]?.ids.slice(10)).toEqual(again.ids);
  for (const { end } of [...streams.flat(), again]) end();
});

test('a stream contains an event that happens as soon as its response has begun', async () => {
  const { client, account } = await fixture.actor();
  startDelayMs = 500;
  const stream = await open(client);
  await fixture.happen(account, 'follow', 1);
  await until(() => expect(stream.ids).toHaveLength(1));
  startDelayMs = 0;
  stream.end();
});

test('a key may have 20 streams open, over REST and GraphQL together, and a refused one costs nothing', async () => {
  const { client } = await fixture.actor();
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(client)));
  expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 20 }, () => 200));
  const balance = await restingBalance(client);
  const refused = await open(client);
  expect(refused.response.status).toBe(429);
  expect(await refused.response.text()).toContain('This API key has 20 live streams open');
  const subscribe = () =>
    fetch(fixture.service.demo.graphqlUrl, {
      method: 'POST',
      headers: { ...client.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { events { id } }' }),
    });
  const { errors } = (await (await subscribe()).json()) as { errors: { message: string; extensions: object }[] };
  expect(errors[0]?.message).toContain('20 live streams');
  expect(errors[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
  expect(await restingBalance(client)).toBe(balance);
  const { client: other } = await fixture.actor();
  const beside = await open(other);
  expect(beside.response.status).toBe(200);
  streams[0]?.end();
  const opened = await until(async () => {
    const response = await subscribe();
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    return response;
  });
  expect((await open(client)).response.status).toBe(429);
  await (opened as Response).body?.cancel();
  await until(async () => {
    const again = await open(client);
    expect(again.response.status).toBe(200);
    again.end();
  });
  for (const { end } of [...streams, beside]) end();
});

test('a caller that disconnects while its stream opens leaves no open stream', async () => {
  const { client } = await fixture.actor();
  await fixture.sandbox.setFault({ fault: { kind: 'latency', ms: 500 }, operation: 'activity', times: null });
  for (let i = 0; i < 20; i++) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const { headers, options } = client;
    await fetch(`${options.baseUrl}/events`, { signal: controller.signal, headers }).catch(() => null);
  }
  await fixture.sandbox.clearFaults();
  await pause(1_500);
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(client)));
  expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 20 }, () => 200));
  for (const { end } of streams) end();
});
