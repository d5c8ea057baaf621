import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { conversationIdOf, startMessageFixture, type Writer } from '../../messaging/conversations/fixture.ts';
import { GraphqlClient } from '../../support/graphql.ts';

const fixture = await startMessageFixture();
const [anna, ben] = [await fixture.mint(), await fixture.mint()];
await anna.sends(ben, 'One');
await ben.sends(anna, 'Two');
afterAll(() => fixture.service.stop());

const url = fixture.service.demo.graphqlUrl;
const ask = (who: Writer, query: string, variables: Record<string, unknown> = {}, headers = who.code) =>
  new GraphqlClient({ url, ...who.client.options }).ask(query, variables, headers as Record<string, string>);

describe('conversations', () => {
  test('are read with their last messages by one call, and their messages by one more each', async () => {
    const listed = '{ conversations { hasMessageRequests nodes { conversationId lastMessage { text fromMe } } } }';
    const last = await ask(anna, listed);
    expect(last.errors).toEqual([]);
    expect(last.data.conversations).toEqual({
      hasMessageRequests: false,
      nodes: [{ conversationId: conversationIdOf(anna, ben), lastMessage: { text: 'Two', fromMe: false } }],
    });
    expect(last.extensions.credits.actions).toMatchObject([{ name: 'dm/list', calls: 1 }]);
    const nested = '{ conversations { nodes { lastMessage { messageId } messages(first: 5) { nodes { text } } } } }';
    const all = await ask(anna, nested);
    expect(all.data.conversations.nodes[0].messages.nodes).toEqual([{ text: 'Two' }, { text: 'One' }]);
    expect(all.data.conversations.nodes[0].lastMessage.messageId).toMatch(/./);
  });

  test('are told without a code, and what needs one fails by itself', async () => {
    const query = '{ conversations { nodes { type lastMessage { text } } } }';
    const { data, errors } = await ask(anna, query, {}, {} as never);
    expect(data.conversations.nodes).toEqual([{ type: 'one_to_one', lastMessage: null }]);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', status: 400, field: 'x-encryption-code' } }]);
  });

  test('are found by their global id', async () => {
    const { data } = await ask(anna, '{ conversations { nodes { id } } }');
    const [{ id }] = data.conversations.nodes;
    const query = 'query ($id: ID!) { node(id: $id) { ... on Conversation { conversationId } } }';
    const found = await ask(anna, query, { id });
    expect(found.data.node).toEqual({ conversationId: conversationIdOf(anna, ben) });
    const others = await ask(await fixture.mint(), 'query ($id: ID!) { node(id: $id) { id } }', { id });
    expect(others.errors).toMatchObject([{ extensions: { code: expect.stringMatching(/NOT_FOUND|CONFLICT/) } }]);
  });

  test('are paged by edges, in the order of the first page', async () => {
    const carl = await fixture.mint();
    await anna.sends(carl, 'Hello');
    const page =
      'query ($after: String) { conversations(first: 1, after: $after) { edges { cursor node { conversationId } } pageInfo { hasNextPage endCursor } } }';
    const first = (await ask(anna, page)).data.conversations;
    expect(first.edges[0].node.conversationId).toBe(conversationIdOf(anna, carl));
    const next = (await ask(anna, page, { after: first.pageInfo.endCursor })).data.conversations;
    expect(next.edges[0].node.conversationId).toBe(conversationIdOf(anna, ben));
    expect(next.pageInfo.hasNextPage).toBe(false);
  });
});

test('a wrong code is refused with the guesses that remain', async () => {
  const other = await fixture.mint();
  const wrong = { 'x-encryption-code': '907351' } as never;
  const { errors } = await ask(other, 'mutation { sendMessage(input: { userId: "1", text: "x" }) { ok } }', {}, wrong);
  const message = 'Wrong x-encryption-code: 19 guesses remaining';
  expect(errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }]);
});

test('the subscription sends message events', async () => {
  const controller = new AbortController();
  const query =
    'subscription { events { __typename createdAt ... on MessageReceivedEvent { text fromMe conversationId } } }';
  const response = await fetch(url, {
    method: 'POST',
    signal: controller.signal,
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...anna.client.headers, ...anna.code },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(200);
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('MessageReceivedEvent')) return text;
    }
    return text;
  })();
  let hasArrived = false;
  void reading.then(() => {
    hasArrived = true;
  });
  // A message that is sent before the subscription has begun is not in it.
  while (!hasArrived) {
    await ben.sends(anna, 'By subscription');
    await sleep(500);
  }
  expect(await reading).toContain('"text":"By subscription"');
  controller.abort();
});
