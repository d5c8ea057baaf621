import { expect, test } from 'vitest';
import { verify } from '../../src/client/webhooks/index.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { GraphqlClient } from '../support/graphql.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { secret, startWebhookFixture } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });

interface Attempt {
  attempt: number;
  outcome: string;
  request_headers: Record<string, string>;
  response_excerpt: string | null;
}

/** Returns the id of the webhook's newest event, once it has this outcome. */
async function untilOutcome(owner: Client, id: string, outcome: string): Promise<string> {
  let eventId = '';
  await until(async () => {
    const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`, { count: '1' })).body.data;
    const [newest] = deliveries as { event_id: string; outcome: string }[];
    expect(newest?.outcome).toBe(outcome);
    eventId = newest?.event_id ?? '';
  });
  return eventId;
}

test('a delivery shows every attempt with its request headers and the first 1 KiB of the response body', async () => {
  const { client, account, receiver, id, owner } = await fixture.webhook(
    {},
    {
      answer: ({ headers }) =>
        headers['x-platform-webhooks-attempt'] === '1'
          ? { status: 500, body: 'not\u0000 yet' }
          : { status: 200, body: '"thanks"' },
    },
  );
  await fixture.happen(account);
  const eventId = await untilOutcome(owner, id, 'retrying');
  runtime.leap(7_000);
  await untilOutcome(owner, id, 'delivered');

  const { headers, body } = await owner.get(`/webhooks/${id}/deliveries/${eventId}`);
  expect(headers.get('x-credits-charged')).toBeNull();
  const { attempts, ...delivery } = body.data as { attempts: Attempt[] };
  const listed = (await owner.get(`/webhooks/${id}/deliveries`)).body.data['deliveries'];
  expect([delivery]).toEqual(listed);
  const common = { at: expect.any(String), duration_ms: expect.any(Number), request_headers: expect.any(Object) };
  expect(attempts).toEqual([
    {
      ...common,
      attempt: 1,
      outcome: 'failed',
      response_code: 500,
      error: 'status 500',
      response_excerpt: 'not\ufffd yet',
    },
    { ...common, attempt: 2, outcome: 'delivered', response_code: 200, error: null, response_excerpt: '"thanks"' },
  ]);
  for (const [index, { request_headers }] of attempts.entries()) {
    const sent = receiver.deliveries[index];
    expect(sent?.headers).toMatchObject(request_headers);
    expect(request_headers).toMatchObject({ 'user-agent': 'postern-webhooks', 'webhook-id': eventId });
    expect(() => verify(sent?.body ?? '', request_headers, secret)).not.toThrow();
  }

  const { baseUrl, key = '' } = client.options;
  const graphql = new GraphqlClient({ url: new URL('/graphql', baseUrl).href, key });
  const answer = await graphql.ask(`{ webhook(webhookId: "${id}") { deliveries { nodes { eventId
    attempts { attempt outcome requestHeaders { name value } responseExcerpt } } } } }`);
  const [node] = answer.data.webhook.deliveries.nodes;
  expect(node.eventId).toBe(eventId);
  expect(node.attempts[1]).toEqual({
    attempt: 2,
    outcome: 'delivered',
    requestHeaders: Object.entries(attempts[1]?.request_headers ?? {}).map(([name, value]) => ({ name, value })),
    responseExcerpt: '"thanks"',
  });
  expect(answer.extensions?.credits.charged).toBe('0');
});

test('an attempt without a response has none, and long responses are cut between characters', async () => {
  const { account, receiver, id, owner } = await fixture.webhook(
    {},
    { answer: () => ({ status: 200, body: `a${'€'.repeat(1_000)}` }) },
  );
  await fixture.happen(account);
  const first = await untilOutcome(owner, id, 'delivered');
  const attempts = async (eventId: string) =>
    (await owner.get(`/webhooks/${id}/deliveries/${eventId}`)).body.data['attempts'] as Attempt[];
  expect((await attempts(first))[0]?.response_excerpt).toBe(`a${'€'.repeat(341)}`);
  await receiver.stop();
  await fixture.happen(account);
  const second = await untilOutcome(owner, id, 'retrying');
  expect(await attempts(second)).toMatchObject([
    { response_code: null, response_excerpt: null, error: 'it refuses connections', request_headers: {} },
  ]);
});

test('one event is sent again under its id, whatever became of it', async () => {
  const { client, account, receiver, id, owner } = await fixture.webhook();
  await fixture.happen(account, 'follow', 2);
  const eventId = await untilOutcome(owner, id, 'delivered');
  await until(() => expect(receiver.deliveries).toHaveLength(2));
  const answer = await owner.post(`/webhooks/${id}/deliveries/${eventId}/resend`);
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0.0025']);
  expect(answer.body.data).toMatchObject({ webhook_id: id, event_id: eventId });
  await until(() => expect(receiver.deliveries).toHaveLength(3));
  const sent = receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === eventId);
  expect(sent).toHaveLength(2);
  expect(sent[0]?.body).toBe(sent[1]?.body);
  await untilOutcome(owner, id, 'delivered');
  await until(async () => {
    const { attempts } = (await owner.get(`/webhooks/${id}/deliveries/${eventId}`)).body.data;
    expect((attempts as Attempt[]).map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  const balance = await restingBalance(client);
  const path = `/webhooks/${id}/deliveries/evt_none`;
  expectRefusal(await owner.get(path), 404, 'Delivery not found: evt_none');
  expectRefusal(await owner.post(`${path}/resend`), 404, 'Delivery not found: evt_none');
  expectRefusal(await owner.get('/webhooks/wh_none/deliveries/evt_none'), 404, 'Webhook not found: wh_none');
  const { client: stranger } = await fixture.actor();
  expectRefusal(await stranger.post(`/webhooks/${id}/deliveries/${eventId}/resend`), 404, `Webhook not found: ${id}`);
  expect(await restingBalance(client)).toBe(balance);
});
