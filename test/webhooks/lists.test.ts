import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { register, startWebhookFixture } from './fixture.ts';

test('webhooks and deliveries are listed once each, page by page', async () => {
  const fixture = await startWebhookFixture();
  try {
    const { client, account } = await fixture.actor();
    const receiver = await fixture.receiver();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await register(client, { url: receiver.url })).id);
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
    const webhooks = (await walk('/webhooks', 'webhooks')).map(({ id }) => id);
    expect([...webhooks].sort()).toEqual([...ids].sort());
    const events = (await walk(`/webhooks/${ids[0]}/deliveries`, 'deliveries')).map(({ event_id }) => event_id);
    expect(new Set(events).size).toBe(3);
  } finally {
    await fixture.stop();
  }
});
