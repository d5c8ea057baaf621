import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isSignedByPlatform, verify } from '../../src/client/webhooks/index.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { changeWebhook, idsOf, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();
const { client, account } = await fixture.actor();
const receiver = await fixture.receiver();
const tweetId = String((await client.post('/tweet/create', { text: 'Mine' })).body.data['id']);
const { id: webhook } = await register(client, { url: receiver.url });

/** Checks a body against schema/events.json, which is published for receivers. */
const isEvent = addFormats
  .default(new Ajv2020.default())
  .compile(JSON.parse(readFileSync(new URL('../../schema/events.json', import.meta.url), 'utf8')));

const numeric = z.string().regex(/^\d+$/);
const name = z.string().min(1);
const event = <Type extends string>(type: Type, fields: z.ZodRawShape) =>
  z.strictObject({
    id: z.string().regex(/^evt_[\w-]{24}$/),
    type: z.literal(type),
    created_at: z.iso.datetime(),
    ...fields,
  });
const authored = {
  tweet_id: numeric,
  text: name,
  author_id: numeric,
  author_screen_name: name,
  author_name: name,
};
const actors = { actor_ids: z.array(numeric).min(1), actor_screen_names: z.array(name).min(1) };
/** The fields in docs/webhooks.md, Events. */
const schemas = {
  'tweet.mention': event('tweet.mention', authored),
  'tweet.reply': event('tweet.reply', { ...authored, in_reply_to_id: numeric }),
  'tweet.quote': event('tweet.quote', { ...authored, quoted_tweet_id: numeric }),
  'tweet.like': event('tweet.like', { tweet_id: numeric, ...actors }),
  'tweet.retweet': event('tweet.retweet', { tweet_id: numeric, ...actors }),
  'user.follow': event('user.follow', actors),
};

describe.each(Object.entries(schemas))('%s', (type, schema) => {
  test('is delivered with its documented fields', async () => {
    const seen = receiver.deliveries.length;
    const [happened] = await fixture.happen(account, type.split('.')[1]);
    await until(() => expect(receiver.deliveries).toHaveLength(seen + 1));
    const body = JSON.parse(receiver.deliveries[seen]?.body ?? '');
    expect(schema.safeParse(body).error).toBeUndefined();
    expect(isEvent(body), JSON.stringify(isEvent.errors)).toBe(true);
    if ('actor_ids' in body) expect(body.actor_ids).toEqual([happened?.actor.id]);
    else expect([body.author_id, body.tweet_id]).toEqual([happened?.actor.id, happened?.tweet?.id]);
    for (const field of ['in_reply_to_id', 'quoted_tweet_id', ...('actor_ids' in body ? ['tweet_id'] : [])]) {
      if (field in body) expect(body[field]).toBe(tweetId);
    }
  });

  test('is the only event that reaches a webhook with this type only', async () => {
    const { account, client } = await fixture.actor();
    await client.post('/tweet/create', { text: 'Mine' });
    const [only, all] = [await fixture.receiver(), await fixture.receiver()];
    await register(client, { url: only.url, events: [type] });
    await register(client, { url: all.url });
    for (const each of Object.keys(schemas)) await fixture.happen(account, each.split('.')[1]);
    await until(() => expect(all.deliveries).toHaveLength(6));
    await until(() => expect(only.deliveries.map(({ body }) => JSON.parse(body).type)).toEqual([type]));
  });
});

describe('a tweet to which several types apply', () => {
  test.each<[string, string[] | undefined, string]>([
    ['all types', undefined, 'tweet.reply'],
    ['quotes and mentions', ['tweet.mention', 'tweet.quote'], 'tweet.quote'],
    ['mentions', ['tweet.mention'], 'tweet.mention'],
  ])('reaches a webhook for %s once, also after a replay', async (_name, events, type) => {
    const { account, client, owner, receiver, id } = await fixture.webhook({ events });
    const tweet_id = String((await client.post('/tweet/create', { text: 'Mine' })).body.data['id']);
    const writer = await fixture.actor();
    const both = { reply_to_tweet_id: tweet_id, quote_tweet_id: tweet_id };
    await writer.client.post('/tweet/create', { text: `Well said, @${account.userName}`, ...both });
    await writer.client.post('/tweet/create', { text: `@${account.userName} The last one` });
    const types = () => receiver.deliveries.map(({ body }) => JSON.parse(body).type).sort();
    const expected = [type, 'tweet.mention'].sort();
    await until(() => expect(types()).toEqual(expected));
    await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { events: ['tweet.reply', 'tweet.mention'] });
    await owner.post('/webhooks/replay');
    await until(() => expect(types()).toEqual([...expected, ...expected].sort()));
  });
});

test('every delivery is signed, for the platform’s scheme, for Standard Webhooks and for the kit', () => {
  const verifier = new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`);
  expect(receiver.deliveries.length).toBeGreaterThanOrEqual(6);
  for (const { body, headers } of receiver.deliveries) {
    const { id } = JSON.parse(body);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'x-platform-webhooks-event-id': id,
      'x-platform-webhooks-attempt': '1',
      'webhook-timestamp': headers['x-platform-webhooks-timestamp'],
    });
    expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(verify(body, headers, secret)).toEqual({ eventId: id, attempt: 1 });
    expect(isSignedByPlatform(body, headers, secret)).toBe(true);
    expect(isSignedByPlatform(body, headers, 'another secret of 16')).toBe(false);
  }
});

test('actions of the account itself are not events', async () => {
  const seen = receiver.deliveries.length;
  await client.post('/tweet/favorite', { tweet_id: tweetId });
  await client.post('/user/follow', { username: 'ada' });
  await client.post('/tweet/create', { text: `@${account.userName} Mine`, reply_to_tweet_id: tweetId });
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(seen + 1));
  expect(JSON.parse(receiver.deliveries[seen]?.body ?? '').type).toBe('user.follow');
});

test('the list and the deliveries show the delivered events', async () => {
  const count = receiver.deliveries.length;
  const owner = client.with({ authToken: '' });
  const of = async () => (await owner.get(`/webhooks/${webhook}/deliveries`, { count: '100' })).body.data['deliveries'];
  await until(async () => expect(await of()).toHaveLength(count));
  const deliveries = (await of()) as { event_id: string; outcome: string }[];
  expect(deliveries.map(({ event_id }) => event_id).sort()).toEqual(idsOf(receiver.deliveries).sort());
  await until(async () => {
    const expected = { outcome: 'delivered', attempt: 1, response_code: 200, error: null, next_attempt_at: null };
    for (const each of (await of()) as object[]) expect(each).toMatchObject(expected);
  });
  const [listed] = (await owner.get('/webhooks')).body.data['webhooks'] as { last_delivery_at: string }[];
  expect(listed?.last_delivery_at).toMatch(/Z$/);
});

test('a new secret signs together with the old one, and alone after a handshake with it has passed', async () => {
  const rotated = await client.post(`/webhooks/${webhook}/rotate-secret`);
  expect(rotated.headers.get('x-credits-charged')).toBe('0.0025');
  const renewed = String(rotated.body.data['secret']);
  const next = async () => {
    const seen = receiver.deliveries.length;
    await fixture.happen(account);
    await until(() => expect(receiver.deliveries).toHaveLength(seen + 1));
    return receiver.deliveries[seen] as TestReceiver['deliveries'][number];
  };
  const both = await next();
  for (const each of [secret, renewed]) expect(verify(both.body, both.headers, each).attempt).toBe(1);
  expect(isSignedByPlatform(both.body, both.headers, secret)).toBe(true);
  receiver.secret = renewed;
  expect((await changeWebhook(client, 'PUT', `/webhooks/${webhook}`)).body.data['valid']).toBe(true);
  const proven = await next();
  for (const each of [secret, renewed]) expect(verify(proven.body, proven.headers, each).attempt).toBe(1);
  expect(isSignedByPlatform(proven.body, proven.headers, renewed)).toBe(true);
});

test('the secret of a receiver continues to sign even if several new ones are created before the next handshake', async () => {
  const own = await fixture.receiver();
  const { id } = await register(client, { url: own.url, secret });
  await client.post(`/webhooks/${id}/rotate-secret`);
  const { body } = await client.post(`/webhooks/${id}/rotate-secret`);
  await client.post(`/webhooks/${id}/test`);
  const [delivery = { body: '', headers: {} }] = own.deliveries;
  for (const each of [secret, String(body.data['secret'])]) {
    expect(verify(delivery.body, delivery.headers, each).attempt).toBe(1);
  }
  expect(isSignedByPlatform(delivery.body, delivery.headers, secret)).toBe(true);
});
