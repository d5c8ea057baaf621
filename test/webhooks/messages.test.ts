import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventBodies } from '../../src/shared/model/event-bodies.ts';
import { conversationIdOf, dataOf, Writer } from '../messaging/conversations/fixture.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { fetchWebhook, idsOf, register, secret, startWebhookFixture, type WebhookFixture } from './fixture.ts';

let fixture: WebhookFixture;
let anna: Writer;
let ben: Writer;
beforeAll(async () => {
  fixture = await startWebhookFixture();
  const { client } = await fixture.actor();
  [anna, ben] = [
    new Writer((await fixture.sandbox.mint()) as never, client),
    new Writer((await fixture.sandbox.mint()) as never, client),
  ];
  // Keys are recovered before the test, because the first recovery takes long.
  await anna.sends(ben, 'Before anybody listens');
  await ben.reads(conversationIdOf(anna, ben));
});
afterAll(() => fixture.stop());

type Body = Record<string, unknown> & { type: string };
const bodiesOf = ({ deliveries }: TestReceiver): Body[] => deliveries.map(({ body }) => JSON.parse(body) as Body);

describe('a webhook with a code', () => {
  test('receives all changes in conversations, in the documented bodies', async () => {
    const receiver = await fixture.receiver();
    await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    const { conversation_id, seq_id } = await ben.sends(anna, 'Is the light on?');
    const about = { conversation_id, seq_id };
    await anna.sends(conversation_id, 'It is');
    dataOf(await ben.post('/dm/edit', { ...about, text: 'Is the lamp on?' }));
    dataOf(await anna.post('/dm/react', { ...about, emoji: '💡' }));
    dataOf(await anna.post('/dm/unreact', { ...about, emoji: '💡' }));
    // The message is read before it is deleted, because a deleted message arrives without its text.
    await until(() => expect(receiver.deliveries).toHaveLength(5));
    dataOf(await ben.post('/dm/delete', about));
    await until(() => expect(receiver.deliveries).toHaveLength(6));
    const bodies = bodiesOf(receiver);
    for (const body of bodies) {
      const schema = eventBodies[body.type as keyof typeof eventBodies];
      expect(schema.safeParse(body).error, body.type).toBe(undefined);
      expect(body['created_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
    const byType = Object.fromEntries(bodies.map((body) => [body.type, body]));
    expect(byType['message.received']).toMatchObject({
      conversation_id,
      seq_id,
      sender_id: ben.account.userId,
      from_me: false,
      text: 'Is the light on?',
    });
    expect(byType['message.sent']).toMatchObject({ from_me: true, text: 'It is' });
    expect(byType['message.edited']).toMatchObject({ target_seq_id: seq_id, text: 'Is the lamp on?' });
    expect(byType['message.reactionAdded']).toMatchObject({ target_seq_id: seq_id, emoji: '💡', from_me: true });
    expect(byType['message.reactionRemoved']).toMatchObject({ target_seq_id: seq_id, emoji: '💡' });
    expect(byType['message.deleted']).toMatchObject({ target_seq_id: seq_id, from_me: false });
    expect(byType['message.deleted']).not.toHaveProperty('text');
  });

  test('receives attachments, with the same description for both participants', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const receiver = await fixture.receiver();
    await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    const conversation_id = conversationIdOf(anna, ben);
    const pixel = { conversation_id, image_base64: png, filename: 'pixel.png' };
    dataOf(await ben.post('/dm/send_media', { ...pixel, text: 'One pixel' }));
    dataOf(await anna.post('/dm/send_media', pixel));
    await ben.sends(anna, 'Words alone');
    await until(() => expect(receiver.deliveries).toHaveLength(3));
    const bodies = bodiesOf(receiver);
    for (const body of bodies) {
      const schema = eventBodies[body.type as keyof typeof eventBodies];
      expect(schema.safeParse(body).error, body.type).toBe(undefined);
    }
    const attachment = { type: 1, filename: 'pixel.png', size: Buffer.from(png, 'base64').length };
    const byText = Object.fromEntries(bodies.map((body) => [body['text'], body]));
    expect(byText['One pixel']).toMatchObject({ type: 'message.received', attachment });
    expect(byText['']).toMatchObject({ type: 'message.sent', attachment });
    expect(byText['Words alone']).not.toHaveProperty('attachment');
  });

  test('receives messages; a webhook without a code receives only other events', async () => {
    const [open, closed] = [await fixture.receiver(), await fixture.receiver()];
    const hook = await register(anna.client, { url: open.url, encryption_code: anna.account.encryptionCode });
    const other = await register(anna.client, { url: closed.url });
    expect(await fetchWebhook(anna.client, hook.id)).toMatchObject({ has_encryption_code: true });
    expect(await fetchWebhook(anna.client, other.id)).toMatchObject({ has_encryption_code: false });
    await ben.sends(anna, 'For those who can read');
    await fixture.happen(anna.account);
    await until(() =>
      expect(
        bodiesOf(open)
          .map(({ type }) => type)
          .sort(),
      ).toEqual(['message.received', 'user.follow']),
    );
    await until(() => expect(bodiesOf(closed).map(({ type }) => type)).toEqual(['user.follow']));
  });

  test('is refused at once if the code is wrong', async () => {
    const receiver = await fixture.receiver();
    const answer = await ben.client.post('/webhooks', { url: receiver.url, secret, encryption_code: '907351' });
    expectRefusal(answer, 403, /^Wrong encryption_code: 19 guesses remaining$/);
  });

  test('receives messages after its code was set by PUT', async () => {
    const receiver = await fixture.receiver();
    const hook = await register(anna.client, { url: receiver.url, events: ['message.received'] });
    await ben.sends(anna, 'Not yet');
    const put = (body: object) =>
      anna.client.send('PUT', `/webhooks/${hook.id}`, JSON.stringify(body), { 'content-type': 'application/json' });
    expectRefusal(await put({ encryption_code: '907351' }), 403, /^Wrong encryption_code/);
    const renewed = dataOf(await put({ encryption_code: anna.account.encryptionCode }));
    expect(renewed).toMatchObject({ has_encryption_code: true, valid: true, last_error: null });
    await ben.sends(anna, 'Now');
    await until(() => expect(bodiesOf(receiver)).toContainEqual(expect.objectContaining({ text: 'Now' })));
  });

  test('receives the same bytes again in a replay', async () => {
    const receiver = await fixture.receiver();
    const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    await ben.sends(anna, 'Once more');
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    dataOf(await anna.client.with({ authToken: '' }).post('/webhooks/replay', { webhook_id: hook.id }));
    await until(() => expect(receiver.deliveries).toHaveLength(2));
    expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1);
    expect(new Set(idsOf(receiver.deliveries)).size).toBe(1);
  });

  test('receives a message that cannot be opened with the reason', async () => {
    const receiver = await fixture.receiver();
    await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    const control = await fetch(`${fixture.service.demo.sandboxUrl}/control/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: ben.account.userName, to: anna.account.userName, corrupt: true }),
    });
    expect(control.status).toBe(201);
    await until(() => expect(bodiesOf(receiver)).toMatchObject([{ text: '', undecryptable: expect.any(String) }]));
  });
});

describe('a stream', () => {
  /** Opens a stream and collects the types of its events. */
  const open = async (who: Writer, headers: Record<string, string>) => {
    const controller = new AbortController();
    const response = await fetch(`${fixture.service.demo.baseUrl}/events`, {
      headers: {
        authorization: `Bearer ${who.client.options.key}`,
        'x-auth-token': who.account.authToken,
        ...headers,
      },
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
      }
    })();
    return {
      types: () => [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type),
      end: async () => {
        controller.abort();
        await reading.catch(() => {});
      },
    };
  };

  test('contains messages only with a code', async () => {
    const withCode = await open(anna, { 'x-encryption-code': anna.account.encryptionCode });
    const without = await open(anna, {});
    await ben.sends(anna, 'Live');
    await until(() => expect(withCode.types()).toEqual(['message.received']));
    await fixture.happen(anna.account);
    await until(() => expect(withCode.types()).toEqual(['message.received', 'user.follow']));
    await until(() => expect(without.types()).toEqual(['user.follow']));
    await Promise.all([withCode.end(), without.end()]);
    const refused = await fetch(`${fixture.service.demo.baseUrl}/events`, {
      headers: {
        authorization: `Bearer ${ben.client.options.key}`,
        'x-auth-token': ben.account.authToken,
        'x-encryption-code': '907351',
      },
    });
    expect(refused.status).toBe(403);
  });

  test('that cannot open messages for some time reports it, and continues with other events', async () => {
    const stream = await open(ben, { 'x-encryption-code': ben.account.encryptionCode });
    await fixture.service.addFault({ kind: 'status', status: 500 }, { operation: 'chatConversation', times: null });
    await fetch(`${fixture.service.demo.sandboxUrl}/control/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: anna.account.userName, to: ben.account.userName, text: 'Closed' }),
    });
    await fixture.happen(ben.account);
    await until(() => expect(stream.types()).toEqual(['gap', 'user.follow']));
    await stream.end();
    await fixture.sandbox.clearFaults();
  });
});
