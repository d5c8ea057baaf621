import { describe, expect, test } from 'vitest';
import { eventBodies } from '../../src/shared/model/event-bodies.ts';
import { conversationIdOf, dataOf, type Writer } from '../messaging/conversations/fixture.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { fetchWebhook, idsOf, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();
const [anna, ben] = await fixture.writers();
// Keys are recovered before the test, because the first recovery takes long.
await anna.sends(ben, 'Before anybody listens');
await ben.reads(conversationIdOf(anna, ben));

type Body = Record<string, unknown> & { type: keyof typeof eventBodies };
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
      expect(eventBodies[body.type].safeParse(body).error, body.type).toBe(undefined);
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
    expect(byType['message.deleted']).toMatchObject({
      target_seq_id: seq_id,
      target_seq_ids: [seq_id],
      from_me: false,
    });
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
      expect(eventBodies[body.type].safeParse(body).error, body.type).toBe(undefined);
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
    await fixture.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, corrupt: true });
    await until(() => expect(bodiesOf(receiver)).toMatchObject([{ text: '', undecryptable: expect.any(String) }]));
  });
});

const liveUrl = `${fixture.service.demo.baseUrl}/events`;

/** Collects the `data` of Server-Sent Events for a writer until the stream is aborted. */
function collect(
  { client, account }: Writer,
  url: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
) {
  const controller = new AbortController();
  const events: Record<string, unknown>[] = [];
  const opened = fetch(url, {
    ...init,
    signal: controller.signal,
    headers: { authorization: `Bearer ${client.options.key}`, 'x-auth-token': account.authToken, ...headers },
  });
  let text = '';
  const done = (async () => {
    for await (const chunk of (await opened).body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const found = [...text.matchAll(/^data: ?(\{.*\})\n\n/gm)].map(([, data = '']) => JSON.parse(data));
      events.splice(0, events.length, ...found);
    }
  })().catch(() => {});
  return {
    opened,
    events,
    types: () => [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type),
    async end() {
      controller.abort();
      await done;
    },
  };
}

describe('a stream', () => {
  test('contains messages only with a code', async () => {
    const [withCode, without] = [collect(anna, liveUrl, anna.code), collect(anna, liveUrl)];
    for (const { opened } of [withCode, without]) expect((await opened).status).toBe(200);
    await ben.sends(anna, 'Live');
    await until(() => expect(withCode.types()).toEqual(['message.received']));
    await fixture.happen(anna.account);
    await until(() => expect(withCode.types()).toEqual(['message.received', 'user.follow']));
    await until(() => expect(without.types()).toEqual(['user.follow']));
    await Promise.all([withCode.end(), without.end()]);
    expect((await collect(ben, liveUrl, { 'x-encryption-code': '907351' }).opened).status).toBe(403);
  });

  test('that cannot open messages for some time reports it, and continues with other events', async () => {
    // The keys of their conversation are not cached.
    const [carl, dora] = await fixture.writers();
    const stream = collect(dora, liveUrl, dora.code);
    expect((await stream.opened).status).toBe(200);
    await fixture.service.addFault(
      { kind: 'status', status: 500 },
      { operation: 'getChatConversationEvents', times: null },
    );
    await fixture.sandbox.makeMessage({ from: carl.account.userName, to: dora.account.userName, text: 'Closed' });
    await fixture.happen(dora.account);
    await until(() => expect(stream.types()).toEqual(['gap', 'user.follow']));
    await stream.end();
    await fixture.sandbox.clearFaults();
  });
});

const steps: Body['type'][] = [
  'message.received',
  'message.edited',
  'message.reactionAdded',
  'message.reactionRemoved',
  'message.deleted',
];

const subscription = `subscription { events { type
  ... on MessageReceivedEvent { text attachment { type filename size } undecryptable }
  ... on MessageEditedEvent { text undecryptable targetSeqId }
  ... on MessageReactionAddedEvent { emoji undecryptable targetSeqId }
  ... on MessageReactionRemovedEvent { emoji undecryptable targetSeqId }
  ... on MessageDeletedEvent { undecryptable targetSeqId }
} }`;

/** Opens a webhook and both kinds of streams of Anna, which all receive events. */
async function listen() {
  const receiver = await fixture.receiver();
  await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  const live = collect(anna, liveUrl, anna.code);
  const graphql = collect(
    anna,
    fixture.service.demo.graphqlUrl,
    { ...anna.code, 'content-type': 'application/json', accept: 'text/event-stream' },
    { method: 'POST', body: JSON.stringify({ query: subscription }) },
  );
  // A stream begins at its first read, so it may miss the first messages.
  await until(async () => {
    await ben.sends(anna, 'Is anybody there?');
    expect(Math.min(receiver.deliveries.length, live.events.length, graphql.events.length)).toBeGreaterThan(0);
  });
  return { receiver, live, graphql };
}

test('a message that is deleted between two polls produces all of its events, on webhooks and both streams', async () => {
  const { receiver, live, graphql } = await listen();
  await fixture.service.addFault({ kind: 'status', status: 503 }, { operation: 'activity', times: null });
  const { conversation_id, seq_id, message_id } = await ben.sends(anna, 'Is the light on?');
  const about = { conversation_id, seq_id };
  dataOf(await ben.post('/dm/edit', { ...about, text: 'Is the lamp on?' }));
  dataOf(await anna.post('/dm/react', { ...about, emoji: '💡' }));
  dataOf(await anna.post('/dm/unreact', { ...about, emoji: '💡' }));
  dataOf(await ben.post('/dm/delete', about));
  await fixture.sandbox.clearFaults();

  const delivered = await until(() => {
    const found = bodiesOf(receiver).filter((body) => body['seq_id'] === seq_id || body['target_seq_id'] === seq_id);
    expect(found).toHaveLength(steps.length);
    return found;
  });
  const inOrder = steps.map((step) => delivered.find(({ type }) => type === step));
  expect(inOrder).toMatchObject([
    { conversation_id, seq_id, message_id, sender_id: ben.account.userId, text: '', undecryptable: 'deleted' },
    { conversation_id, target_seq_id: seq_id, text: 'Is the lamp on?' },
    { target_seq_id: seq_id, sender_id: anna.account.userId, from_me: true, emoji: '💡' },
    { target_seq_id: seq_id, sender_id: anna.account.userId, from_me: true, emoji: '💡' },
    { target_seq_id: seq_id, sender_id: ben.account.userId },
  ]);
  expect(inOrder.at(-1)).not.toHaveProperty('undecryptable');
  for (const body of delivered) expect(eventBodies[body.type].safeParse(body).error, body.type).toBe(undefined);

  await until(() => expect(live.events.slice(-steps.length)).toEqual(inOrder));
  const undecryptable = null;
  const told = [
    { type: 'MESSAGE_RECEIVED', text: '', attachment: null, undecryptable: 'deleted' },
    { type: 'MESSAGE_EDITED', text: 'Is the lamp on?', undecryptable, targetSeqId: seq_id },
    { type: 'MESSAGE_REACTION_ADDED', emoji: '💡', undecryptable, targetSeqId: seq_id },
    { type: 'MESSAGE_REACTION_REMOVED', emoji: '💡', undecryptable, targetSeqId: seq_id },
    { type: 'MESSAGE_DELETED', undecryptable: null, targetSeqId: seq_id },
  ].map((events) => ({ data: { events } }));
  await until(() => expect(graphql.events.slice(-steps.length)).toEqual(told));
  await Promise.all([live.end(), graphql.end()]);
});

test('both streams carry the attachment of a message', async () => {
  const { live, graphql } = await listen();
  const gif = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAEAAAAALAAAAAACAAMAAAIChF8AOw==', 'base64');
  const conversation_id = conversationIdOf(anna, ben);
  const sent = { conversation_id, image_base64: gif.toString('base64'), type: 2, filename: 'wave.gif', text: 'A wave' };
  dataOf(await ben.post('/dm/send_media', sent));
  const said = { text: 'A wave', attachment: { type: 2, filename: 'wave.gif', size: gif.length } };
  await until(() => expect(live.events.at(-1)).toMatchObject({ type: 'message.received', ...said }));
  const events = { type: 'MESSAGE_RECEIVED', ...said, undecryptable: null };
  await until(() => expect(graphql.events.at(-1)).toEqual({ data: { events } }));
  await Promise.all([live.end(), graphql.end()]);
});
