import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { register, startWebhookFixture } from './fixture.ts';

test('webhooks and deliveries are listed once each, page by page', async () => {
  const fixture = await startWebhookFixture();
  try {
    const { client, account } = await fixture.actor();
    const receiver = await fixture.receiver();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await register(client, { url: `${receiver.url}?${i}` })).id);
    await fixture.happen(account, 'follow', 3);
    await until(() => expect(receiver.deliveries).toHaveLength(9));

    const walk = async (path: string, items: string) => {
      const found: Record<string, unknown>[] = [];
      for (let cursor: unknown = ''; cursor !== null; ) {
        const { body } = await client.get(path, { count: '1', ...(cursor !== '' && { cursor: String(cursor) }) });
        found.push(...(body.data[items] as Record<string, unknown>[]));
        cursor = body.data['next_cursor'];
        expect(body.data['has_more']).toBe(cursor !== null);
      }
      return found;
    };
    const webhooks = await walk('/webhooks', 'webhooks');
    expect(webhooks.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const { balance } = (await client.get('/account/balance')).body.data;
    expect(await walk('/account/webhooks', 'webhooks')).toEqual(webhooks);
    const body = { name: 'Webhooks only', groups: ['webhooks'] };
    const key = String((await client.post('/account/keys', body)).body.data['key']);
    const limited = client.with({ key, authToken: '' });
    expect((await limited.get('/account/webhooks')).body.data['webhooks']).toEqual(webhooks);
    expect((await limited.get('/account/balance')).status).toBe(403);
    expect((await client.get(`/webhooks/${ids[0]}`)).status).toBe(200);
    const events = (await walk(`/webhooks/${ids[0]}/deliveries`, 'deliveries')).map(({ event_id }) => event_id);
    expect(new Set(events).size).toBe(3);
    const attempts = await client.get(`/webhooks/${ids[0]}/deliveries/${events[0]}`);
    expect(attempts.body.data).toMatchObject({ event_id: events[0] });
    expect((await client.get('/account/balance')).body.data).toMatchObject({ balance });
  } finally {
    await fixture.stop();
  }
});
