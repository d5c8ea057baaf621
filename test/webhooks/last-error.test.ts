import { expect, test } from 'vitest';
import { Writer } from '../messaging/conversations/fixture.ts';
import { GraphqlClient } from '../support/graphql.ts';
import { expectRefusal } from '../support/refusal.ts';
import { changeWebhook, fetchWebhook, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();

const noCode = /^Nothing can be delivered: .*encryption_code/;

test('PATCH without a field is refused with the names of all; null means all types in `events`, and no change in `url`', async () => {
  const { client } = await fixture.actor();
  const { url } = await fixture.receiver();
  const { id } = await register(client, { url, events: ['tweet.like'] });
  for (const body of [{}, { url: null }, { secret }]) {
    const refused = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, body);
    expectRefusal(refused, 400, 'Missing required field: url, events or paused');
  }
  const changed = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: null, events: null });
  expect(changed.body.data).toMatchObject({ url, events: null });
  expect((await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url })).status).toBe(200);

  const { baseUrl, key = '' } = client.options;
  const graphql = new GraphqlClient({ url: new URL('/graphql', baseUrl).href, key });
  const mutation = (input: string) =>
    graphql.ask(`mutation { updateWebhook(input: { webhookId: "${id}" ${input} }) { webhook { events } } }`);
  for (const input of ['', 'url: null']) {
    expect((await mutation(input)).errors?.[0]).toMatchObject({
      message: 'Missing required field: url, events or paused',
      extensions: { code: 'BAD_USER_INPUT' },
    });
  }
  expect((await mutation('events: null')).data.updateWebhook.webhook.events).toBeNull();
});

test('registration returns the reason of a failed handshake', async () => {
  const { client } = await fixture.actor();
  const good = await fixture.receiver();
  const bad = await fixture.receiver({ secret: 'not known there yet' });
  expect(await register(client, { url: good.url })).toMatchObject({ valid: true, last_error: null });
  const failed = /^CRC failed: response_token was not made with the secret/;
  const created = await register(client, { url: bad.url });
  expect(created).toMatchObject({ valid: false, last_error: expect.stringMatching(failed) });
  expect((await fetchWebhook(client, created.id)).last_error).toBe(created.last_error);

  const { baseUrl, ...credentials } = client.options;
  const graphql = new GraphqlClient({ url: new URL('/graphql', baseUrl).href, ...credentials });
  const query = `mutation { createWebhook(input: { url: "${bad.url}?2", secret: "${secret}" }) { valid lastError } }`;
  expect((await graphql.ask(query)).data.createWebhook).toEqual({
    valid: false,
    lastError: expect.stringMatching(failed),
  });
});

test('a webhook for message events only shows an error until it has an encryption code', async () => {
  const { client } = await fixture.actor();
  const anna = new Writer((await fixture.sandbox.mint()) as never, client);
  const receiver = await fixture.receiver();
  const events = ['message.received', 'message.deleted'];
  const created = await register(anna.client, { url: receiver.url, events });
  const { id } = created;
  expect(created).toMatchObject({ valid: true, last_error: expect.stringMatching(noCode) });
  const lastError = async () => (await fetchWebhook(anna.client, id)).last_error;
  expect(await lastError()).toMatch(noCode);

  const patch = async (wish: object) =>
    (await changeWebhook(anna.client, 'PATCH', `/webhooks/${id}`, { ...wish })).body.data;
  expect(await patch({ events: [...events, 'tweet.like'] })).toMatchObject({ last_error: null });
  expect(await lastError()).toBeNull();
  expect(await patch({ events })).toMatchObject({ last_error: expect.stringMatching(noCode) });
  expect(await patch({ events: null })).toMatchObject({ last_error: null });
  await patch({ events });

  // A failed handshake is reported first.
  receiver.answerCrcWith(() => ({ status: 404 }));
  const failed = await changeWebhook(anna.client, 'PUT', `/webhooks/${id}`);
  expect(failed.body.data).toMatchObject({ valid: false, last_error: expect.stringMatching(/^CRC failed/) });
  expect(await lastError()).toMatch(/^CRC failed/);
  receiver.answerCrcWith(null);
  const checked = await changeWebhook(anna.client, 'PUT', `/webhooks/${id}`);
  expect(checked.body.data).toMatchObject({ valid: true, last_error: expect.stringMatching(noCode) });

  const encryption_code = anna.account.encryptionCode;
  const given = await changeWebhook(anna.client, 'PUT', `/webhooks/${id}`, { encryption_code });
  expect(given.body.data).toMatchObject({ valid: true, last_error: null });
  expect(await lastError()).toBeNull();
  expect(await register(anna.client, { url: `${receiver.url}?2`, events, encryption_code })).toMatchObject({
    last_error: null,
  });
});
