import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventBodies } from '../../src/shared/model/event-bodies.ts';
import { conversationIdOf, dataOf, Writer } from '../messaging/conversations/fixture.ts';
import { until } from '../support/until.ts';
import { register, startWebhookFixture, type WebhookFixture } from './fixture.ts';

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
  await anna.sends(ben, 'Before anybody listens');
  await ben.reads(conversationIdOf(anna, ben));
});
afterAll(() => fixture.stop());

type Body = Record<string, unknown> & { type: keyof typeof eventBodies };

const steps: Body['type'][] = [
  'message.received',
  'message.edited',
  'message.reactionAdded',
  'message.reactionRemoved',
  'message.deleted',
];

/** Collects the `data` of Server-Sent Events until the stream is aborted. */
function collect(url: string, init: RequestInit, headers: Record<string, string>) {
  const controller = new AbortController();
  const events: Record<string, unknown>[] = [];
  const done = (async () => {
    const response = await fetch(url, {
      ...init,
      signal: controller.signal,
      headers: {
        authorization: `Bearer ${anna.client.options.key}`,
        'x-auth-token': anna.account.authToken,
        ...anna.code,
        ...headers,
      },
    });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      events.splice(
        0,
        events.length,
        ...[...text.matchAll(/^data: ?(\{.*\})\n\n/gm)].map(([, data = '']) => JSON.parse(data)),
      );
    }
  })().catch(() => {});
  return {
    events,
    async end() {
      controller.abort();
      await done;
    },
  };
}

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
  const live = collect(`${fixture.service.demo.baseUrl}/events`, {}, {});
  const graphql = collect(
    fixture.service.demo.graphqlUrl,
    { method: 'POST', body: JSON.stringify({ query: subscription }) },
    { 'content-type': 'application/json', accept: 'text/event-stream' },
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
    const bodies = receiver.deliveries.map(({ body }) => JSON.parse(body) as Body);
    const found = bodies.filter((body) => body['seq_id'] === seq_id || body['target_seq_id'] === seq_id);
    expect(found).toHaveLength(steps.length);
    return found;
  });
  const inOrder = steps.map((step) => delivered.find(({ type }) => type === step));
  expect(inOrder).toMatchObject([
    { conversation_id, seq_id, message_id, sender_id: ben.account.userId, text: '', undecryptable: 'deleted' },
    { conversation_id, target_seq_id: seq_id, text: '', undecryptable: 'deleted' },
    { target_seq_id: seq_id, sender_id: anna.account.userId, from_me: true, emoji: '', undecryptable: 'deleted' },
    { target_seq_id: seq_id, sender_id: anna.account.userId, from_me: true, emoji: '', undecryptable: 'deleted' },
    { target_seq_id: seq_id, sender_id: ben.account.userId },
  ]);
  expect(inOrder.at(-1)).not.toHaveProperty('undecryptable');
  for (const body of delivered) expect(eventBodies[body.type].safeParse(body).error, body.type).toBe(undefined);

  await until(() => expect(live.events.slice(-steps.length)).toEqual(inOrder));
  const undecryptable = 'deleted';
  const told = [
    { type: 'MESSAGE_RECEIVED', text: '', attachment: null, undecryptable },
    { type: 'MESSAGE_EDITED', text: '', undecryptable, targetSeqId: seq_id },
    { type: 'MESSAGE_REACTION_ADDED', emoji: '', undecryptable, targetSeqId: seq_id },
    { type: 'MESSAGE_REACTION_REMOVED', emoji: '', undecryptable, targetSeqId: seq_id },
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
