import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onSqlite } from '../support/on-sqlite.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { changeWebhook, idsOf, register, startWebhookFixture } from './fixture.ts';

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

describe('a second webhook with the same URL and auth_token', () => {
  const message = (id: string) =>
    new RegExp(
      `exists: ${id}\\. PUT /webhooks/${id} .*, PATCH /webhooks/${id} .*, and POST /webhooks/${id}/rotate-secret `,
    );
  const elsewhere = (url: string, host: string) => url.replace('localhost', host);

  test.each<[string, (url: string) => string]>([
    ['as it is', (url) => url],
    ['with another case', (url) => elsewhere(url, 'LOCALHOST').replace('http', 'HTTP')],
    ['with a fragment', (url) => `${url}#part`],
    ['with an empty query', (url) => `${url}?`],
    ['with encoded letters and dots', (url) => url.replace('/hook', '/x/%2e%2E/h%6fok')],
  ])('is refused with 409 for the URL %s, without a charge', async (_name, spell) => {
    const { client, owner, receiver, id } = await fixture.webhook();
    const before = await restingBalance(owner);
    const handshakes = receiver.requests.length;
    const other = {
      url: spell(receiver.url),
      events: ['tweet.like'],
      secret: 'quite another secret',
    };
    expectRefusal(await client.post('/webhooks', other), 409, message(id));
    expect(await restingBalance(owner)).toBe(before);
    expect(receiver.requests).toHaveLength(handshakes);
  });

  test('is accepted for another path, query, auth_token or account', async () => {
    const { client, receiver } = await fixture.webhook();
    const other = await fixture.actor();
    const sameActor = other.client.with({ authToken: client.options.authToken ?? '' });
    const sameAccount = client.with({ authToken: other.account.authToken });
    for (const url of [`${receiver.url}/`, `${receiver.url}?a=1`])
      expect((await client.post('/webhooks', { url })).status).toBe(200);
    for (const each of [sameActor, sameAccount]) {
      expect((await each.post('/webhooks', { url: receiver.url })).status).toBe(200);
    }
  });

  test('is refused with 409 in concurrent calls, except a replay of the Idempotency-Key', async () => {
    const { client } = await fixture.actor();
    const { url } = await fixture.receiver();
    const keys = Array.from({ length: 6 }, () => randomUUID());
    const send = (key: string) => client.post('/webhooks', { url }, { 'idempotency-key': key });
    const answers = await Promise.all(keys.map(send));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const made = answers.findIndex(({ status }) => status === 200);
    expect((await send(keys[made] ?? '')).body).toEqual(answers[made]?.body);
  });

  test('is refused with 409 as the result of PATCH or PUT, except if nothing changes', async () => {
    const { client, owner, receiver, id } = await fixture.webhook();
    const other = await fixture.actor();
    const { id: second } = await register(client, { url: `${receiver.url}?second` });
    const { id: third } = await register(client.with({ authToken: other.account.authToken }), { url: receiver.url });
    const handshakes = receiver.requests.length;
    expectRefusal(await changeWebhook(owner, 'PATCH', `/webhooks/${second}`, { url: receiver.url }), 409, message(id));
    const { authToken = '' } = client.options;
    expectRefusal(await changeWebhook(owner, 'PUT', `/webhooks/${third}`, { auth_token: authToken }), 409, message(id));
    expect(receiver.requests).toHaveLength(handshakes);
    for (const [method, body] of [
      ['PATCH', { url: receiver.url }],
      ['PUT', { auth_token: authToken }],
    ] as const) {
      expect((await changeWebhook(owner, method, `/webhooks/${id}`, body)).status).toBe(200);
    }
  });
});
