import { expect, test } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { GraphqlClient } from '../support/graphql.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { changeWebhook, register, startWebhookFixture } from './fixture.ts';
import { eventsOf } from './stream-fixture.ts';

const fixture = await startWebhookFixture();

interface Body {
  id: string;
  type: string;
  credit: string;
  threshold: string;
}

/** An account with a webhook that lists the event. After its registration the credit is `credit`. */
async function owner(credit: string, threshold: string) {
  const { authToken, userName } = await fixture.sandbox.mint();
  const { id, key } = await fixture.service.makeAccount((Number(credit) + 0.0025).toFixed(4));
  const client = new Client({ baseUrl: fixture.service.demo.baseUrl, key, authToken });
  const receiver = await fixture.receiver();
  const { id: webhook } = await register(client, { url: receiver.url, events: ['account.low_credit'] });
  await setThreshold(client, threshold);
  const graphql = new GraphqlClient({ url: `${fixture.service.origin}/graphql`, key, authToken });
  return { id, client, userName, receiver, webhook, graphql };
}

const setThreshold = (client: Client, threshold: string | null) =>
  changeWebhook(client, 'PATCH', '/account', { low_credit_threshold: threshold });
const info = (client: Client) => client.get('/user/info', { userName: 'grace' });
const bodiesOf = ({ deliveries }: TestReceiver) => deliveries.map(({ body }) => JSON.parse(body) as Body);

test('a read that takes the credit below the threshold sends one event with account, credit and threshold', async () => {
  const { id, client, receiver, webhook } = await owner('0.01', '0.009');
  await info(client);
  await info(client);
  await info(client);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  const [delivery] = (await client.get(`/webhooks/${webhook}/deliveries`)).body.data['deliveries'] as {
    event_id: string;
  }[];
  expect(bodiesOf(receiver)).toEqual([
    {
      id: delivery?.event_id,
      type: 'account.low_credit',
      created_at: expect.any(String),
      account_id: id,
      credit: '0.008',
      threshold: '0.009',
    },
  ]);
  await fixture.service.credit(id, '0.01');
  await info(client);
  while (Number((await client.get('/account/balance')).body.data['balance']) >= 0.009) await info(client);
  await until(() => expect(receiver.deliveries).toHaveLength(2));
  expect(new Set(bodiesOf(receiver).map((body) => body.id)).size).toBe(2);
});

test('a write and a GraphQL request send the event too', async () => {
  const writer = await owner('0.01', '0.01');
  await writer.client.post('/tweet/create', { text: 'Below the threshold' });
  const reader = await owner('0.01', '0.0095');
  const { errors } = await reader.graphql.ask(
    '{ a: user(userName: "grace") { name } b: user(userName: "linus") { name } }',
  );
  expect(errors).toEqual([]);
  await until(() => expect([writer, reader].map(({ receiver }) => receiver.deliveries.length)).toEqual([1, 1]));
  expect([writer, reader].map(({ receiver }) => bodiesOf(receiver)[0]?.credit)).toEqual(['0.009', '0.008']);
});

test('only webhooks that list the type get the event', async () => {
  const { client, receiver } = await owner('1', '0.98');
  const [all, likes] = [await fixture.receiver(), await fixture.receiver()];
  await register(client, { url: all.url });
  await register(client, { url: likes.url, events: ['tweet.like'] });
  while (Number((await client.get('/account/balance')).body.data['balance']) >= 0.98) await info(client);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  expect([all.deliveries, likes.deliveries]).toEqual([[], []]);
});

test('the threshold is shown, changed and turned off over REST and GraphQL, free of charge', async () => {
  const { client, graphql } = await owner('1', '0.25');
  const shown = async () => (await client.get('/account')).body.data['low_credit_threshold'];
  expect(await shown()).toBe('0.25');
  const answer = await graphql.ask(
    'mutation { updateAccount(input: { lowCreditThreshold: "0.5" }) { lowCreditThreshold balance } }',
  );
  expect(answer.data.updateAccount).toEqual({ lowCreditThreshold: '0.5', balance: '1' });
  expect((await setThreshold(client, null)).body.data).toMatchObject({ low_credit_threshold: null, balance: '1' });
  expect(await shown()).toBeNull();
  for (const wrong of ['0', '-1', 'x', '0.0000001', '1000000001']) {
    expectRefusal(await setThreshold(client, wrong), 400);
  }
  expectRefusal(await changeWebhook(client, 'PATCH', '/account', {}), 400);
});

test('a live stream that lists the type gets the event between those of the actor, and a stream that lists no types does not', async () => {
  const { client, userName } = await owner('1', '0.9975');
  const open = async (query: string) => {
    const { baseUrl, key, authToken } = client.options;
    const headers = { authorization: `Bearer ${key}`, 'x-auth-token': `${authToken}` };
    const ended = new AbortController();
    atEnd(() => ended.abort());
    return eventsOf(await fetch(`${baseUrl}/events${query}`, { headers, signal: ended.signal }));
  };
  const next = async (stream: AsyncGenerator<string>): Promise<Record<string, string>> => {
    const { value } = await stream.next();
    const lines = String(value)
      .split('\n')
      .filter((line) => !line.startsWith(':'));
    return lines.length > 0 ? Object.fromEntries(lines.map((line) => line.split(/: (.*)/s))) : next(stream);
  };
  const [listing, plain] = [await open('?types=user.follow,account.low_credit'), await open('')];
  await info(client);
  const low = await next(listing);
  expect(low['event']).toBe('account.low_credit');
  expect(JSON.parse(low['data'] ?? '')).toMatchObject({ id: low['id'], credit: '0.997', threshold: '0.9975' });
  await fixture.sandbox.makeEvents({ type: 'follow', userName });
  const follow = await next(listing);
  expect(follow['event']).toBe('user.follow');
  expect(await next(plain)).toEqual(follow);
  const resumed = await open(`?types=user.follow,account.low_credit&last_event_id=${low['id']}`);
  expect(await next(resumed)).toEqual(follow);
});
