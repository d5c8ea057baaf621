import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { useService } from '../../support/use-service.ts';

const { service, newCaller } = await useService({ RATE_LIMIT: '0', ALLOW_LOCALHOST_WEBHOOKS: '1' });

interface Entry {
  id: string;
  at: string;
  action: string;
  by: { type: string; key_id: string | null; key_name: string | null };
  subject: { type: string; id: string; name: string };
  details: Record<string, string>;
}

const read = async (client: Client) => (await client.get('/account/audit')).body.data['audit'] as Entry[];

test('the operator creates an account with credit and a key, and adds credit', async () => {
  const { id: account, client, keyId } = await newCaller();
  await service.credit(account, '0.5', 'Invoice 7');
  const by = { type: 'operator', key_id: null, key_name: null };
  expect(await read(client)).toMatchObject([
    { action: 'credit.added', by, subject: { type: 'payment', name: 'Invoice 7' }, details: { amount: '0.5' } },
    { action: 'key.created', by, subject: { type: 'key', id: keyId, name: 'Test key' }, details: {} },
    { action: 'credit.added', by, subject: { type: 'payment', name: 'Initial credit' }, details: { amount: '1' } },
  ]);
  expect((await client.get('/account/audit')).headers.get('x-credits-charged')).toBeNull();
});

test('a key sets the threshold of low credit, and an entry is made only if the value changes', async () => {
  const { id: account, client, keyId } = await newCaller();
  for (const threshold of [null, '0.5', '0.50', null])
    await client.write('PATCH', '/account', { low_credit_threshold: threshold });
  const by = { type: 'key', key_id: keyId };
  const change = { action: 'account.updated', by, subject: { type: 'account', id: account } };
  expect((await read(client)).slice(0, -2)).toMatchObject([
    { ...change, details: { low_credit_threshold: 'none' } },
    { ...change, details: { low_credit_threshold: '0.5' } },
  ]);
});

test('a key creates and revokes a key, once each, however often the call is repeated', async () => {
  const { client, keyId } = await newCaller();
  const headers = { 'idempotency-key': 'once' };
  const input = { name: 'Report', read_only: true, groups: ['tweet', 'user'], dollars_per_day: '0.5' };
  const { id, key } = (await client.post('/account/keys', input, headers)).body.data as { id: string; key: string };
  await client.post('/account/keys', input, headers);
  for (let i = 0; i < 2; i++) await client.send('DELETE', `/account/keys/${id}`);
  await client.send('DELETE', '/account/keys/key_unknown');
  const by = { type: 'key', key_id: keyId, key_name: 'Test key' };
  const subject = { type: 'key', id, name: 'Report' };
  const entries = await read(client);
  expect(entries.slice(0, -2)).toEqual([
    { id: expect.stringMatching(/^aud_/), at: expect.any(String), action: 'key.revoked', by, subject, details: {} },
    {
      id: expect.stringMatching(/^aud_/),
      at: expect.any(String),
      action: 'key.created',
      by,
      subject,
      details: { read_only: 'true', groups: 'tweet,user', dollars_per_day: '0.5' },
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain(key.slice(-20));
});

test('a webhook is created, changed, paused and deleted, and no secret is recorded', async () => {
  const { client, keyId } = await newCaller();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const secret = 'a-secret-of-at-least-16';
  const url = `${receiver.url}/path-with-a-token?token=secret`;
  const { id } = (await client.post('/webhooks', { url, secret, events: ['tweet.like'] })).body.data;
  const path = `/webhooks/${id}`;
  for (const change of [{ events: null }, { paused: true }, { paused: true }, { paused: false }])
    await client.write('PATCH', path, change);
  await client.post(`${path}/rotate-secret`);
  await client.with({ authToken: '' }).write('PUT', path, {});
  await client.write('PUT', path, {});
  await client.send('DELETE', path);
  const entries = (await read(client)).slice(0, -2);
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ['webhook.deleted', {}],
    ['webhook.updated', { auth_token: 'changed' }],
    ['webhook.secret_rotated', {}],
    ['webhook.resumed', {}],
    ['webhook.paused', {}],
    ['webhook.updated', { events: 'all' }],
    ['webhook.created', { events: 'tweet.like' }],
  ]);
  const subject = { type: 'webhook', id, name: new URL(receiver.url).host };
  for (const entry of entries) expect(entry).toMatchObject({ subject, by: { type: 'key', key_id: keyId } });
  expect(JSON.stringify(entries)).not.toMatch(/secret-of|token=|path-with/);
});

test('the log is read page by page, over REST and GraphQL', async () => {
  const { client, graphql } = await newCaller();
  for (let i = 0; i < 5; i++) await client.post('/account/keys', { name: `Key ${i}` });
  const all = (await read(client)).map(({ id }) => id);
  expect(all).toHaveLength(7);
  const paged: string[] = [];
  for await (const page of client.pages('/account/audit', { count: '3' })) {
    paged.push(...(page['audit'] as Entry[]).map(({ id }) => id));
    expect(page['has_more']).toBe(page['next_cursor'] !== null);
  }
  expect(paged).toEqual(all);
  const { data } = await graphql.ask(
    '{ account { audit(first: 100) { nodes { auditEntryId action by { keyName } } } } }',
  );
  expect(data.account.audit.nodes.map((entry: { auditEntryId: string }) => entry.auditEntryId)).toEqual(all);
  expect(data.account.audit.nodes[0]).toMatchObject({ action: 'key.created', by: { keyName: 'Test key' } });
});
