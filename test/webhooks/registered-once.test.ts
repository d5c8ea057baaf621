import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onSqlite } from '../support/on-sqlite.ts';
import { until } from '../support/until.ts';
import { idsOf, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();

/** Creates the state after a process stored a webhook and died before its response was stored. */
function forgetAnswer(key: string): void {
  const update = 'UPDATE idempotency SET answer = NULL, until = 0 WHERE key = ?';
  const path = join(fixture.service.dataDir, 'postern.sqlite');
  expect(onSqlite(path, (raw) => raw.prepare(update).run(key)).changes).toBe(1);
}

test.each([true, false])(
  'a webhook whose caller repeats its registration after a crash is the one that was made (secret given: %s)',
  async (given) => {
    const { client, account } = await fixture.actor();
    const receiver = await fixture.receiver();
    const key = randomUUID();
    const body = { url: receiver.url, ...(given && { secret: receiver.secret }) };
    const first = await client.post('/webhooks', body, { 'idempotency-key': key });
    expect(first.status).toBe(200);
    const handshakes = receiver.requests.length;
    forgetAnswer(key);
    const again = await client.post('/webhooks', body, { 'idempotency-key': key });
    expect(again.body).toEqual(first.body);
    expect(receiver.requests).toHaveLength(handshakes);
    expect((await client.get('/webhooks')).body.data['webhooks']).toHaveLength(1);
    if (!given) return;
    await fixture.happen(account);
    await until(() => expect(idsOf(receiver.deliveries)).toHaveLength(1));
  },
);

test('the same registration with another Idempotency-Key, or without one, is another webhook', async () => {
  const { client } = await fixture.actor();
  const { url } = await fixture.receiver();
  const ids = new Set<unknown>();
  for (const headers of [{ 'idempotency-key': randomUUID() }, { 'idempotency-key': randomUUID() }, {}, {}]) {
    ids.add((await client.post('/webhooks', { url }, headers)).body.data['id']);
  }
  expect(ids.size).toBe(4);
});
