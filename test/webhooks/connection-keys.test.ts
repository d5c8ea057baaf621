import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { useService } from '../support/use-service.ts';

const { ada, graphql, sandbox } = await useService({ RATE_LIMIT: '0' });
const owner = ada.with({ authToken: '' });
const [own, foreign] = [await connect(ada, 'ada'), await connect(ada, 'grace')];
const made = await owner.post('/account/keys', { name: 'Restricted', connections: [own] });
const key = String(made.body.data['key']);
const restricted = owner.with({ key });
const receiver = await startReceiver({ secret: 'x'.repeat(20) });

async function webhookOf(authToken: string, path: string, events?: readonly string[]): Promise<string> {
  const url = `${receiver.url}/${path}`;
  const wish = { url, secret: 'x'.repeat(20), ...(events && { events }) };
  const { status, body } = await owner.with({ authToken }).post('/webhooks', wish);
  expect(status, body.error ?? '').toBe(200);
  return String(body.data['id']);
}

const ownWebhook = await webhookOf(own, 'own');
const foreignWebhooks = [
  await webhookOf(foreign, 'foreign'),
  await webhookOf(own, 'account', ['user.follow', 'connection.expired']),
];
const idsOf = (found: unknown) => (found as { id: string }[]).map(({ id }) => id);

describe('a key that is restricted to connections', () => {
  const event = 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s';
  test.each([
    ['GET', '', {}],
    ['PATCH', '', { url: 'http://localhost:9/other' }],
    ['PUT', '', undefined],
    ['DELETE', '', undefined],
    ['POST', '/rotate-secret', {}],
    ['POST', '/test', {}],
    ['GET', '/deliveries', undefined],
    ['GET', `/deliveries/${event}`, undefined],
    ['POST', `/deliveries/${event}/resend`, {}],
  ] as const)(
    'finds no webhook of another connection or with account events by %s /webhooks/{id}%s',
    async (method, path, body) => {
      for (const id of foreignWebhooks) {
        const url = `/webhooks/${id}${path}`;
        const answer = method === 'GET' ? await restricted.get(url) : await restricted.write(method, url, body);
        expectRefusal(answer, 404, /^Webhook not found/);
      }
    },
  );

  test('lists and replays only the webhooks of its connections', async () => {
    for (const path of ['/webhooks', '/account/webhooks']) {
      const { body } = await restricted.get(path, { count: '1' });
      expect(idsOf(body.data['webhooks'])).toEqual([ownWebhook]);
    }
    const { data } = await graphql.with({ key, authToken: '' }).ask('{ account { webhooks { nodes { id } } } }');
    expect(JSON.stringify(data)).not.toContain(foreignWebhooks[0]);
    const { body } = await restricted.post('/webhooks/replay', {});
    expect(idsOf(body.data['webhooks'])).toEqual([ownWebhook]);
    for (const webhook_id of foreignWebhooks) {
      expectRefusal(await restricted.post('/webhooks/replay', { webhook_id }), 404, /^Webhook not found/);
    }
  });

  test('changes the webhooks of its connections', async () => {
    const { status, body } = await restricted.write('PATCH', `/webhooks/${ownWebhook}`, { events: ['user.follow'] });
    expect([status, body.data['events']]).toEqual([200, ['user.follow']]);
  });

  test('gets no account events: their types are refused with 403', async () => {
    const actor = restricted.with({ authToken: own });
    for (const type of ['connection.expired', 'account.low_credit']) {
      const types = ['user.follow', type];
      const answers = [
        await actor.post('/webhooks', { url: `${receiver.url}/more`, events: types }),
        await restricted.write('PATCH', `/webhooks/${ownWebhook}`, { events: types }),
        await actor.post('/events/token', { types }),
        await actor.get('/events', { types: types.join(',') }),
      ];
      for (const answer of answers) expectRefusal(answer, 403, /events of the account/);
    }
  });
});

describe('a deleted connection', () => {
  test('leaves no stored event to replay or to resend', async () => {
    const connection = await connect(ada, 'linus');
    const id = await webhookOf(connection, 'deleted');
    await sandbox.makeEvents({ userName: 'linus', type: 'follow', count: 2 });
    const [event] = await until(async () => {
      const found = (await owner.get(`/webhooks/${id}/deliveries`)).body.data['deliveries'] as { event_id: string }[];
      expect(found).toHaveLength(2);
      return found;
    });
    await owner.write('DELETE', `/connections/${connection}`);
    await until(async () => {
      const { body } = await owner.post('/webhooks/replay', { webhook_id: id });
      expect(body.data).toMatchObject({ replayed: 0 });
    });
    expectRefusal(await owner.post(`/webhooks/${id}/deliveries/${event?.event_id}/resend`), 404, /^Delivery not found/);
  });
});
