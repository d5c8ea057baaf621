import { beforeEach, describe, expect, test } from 'vitest';
import type { ConversationView } from '../../../src/shared/model/direct-message.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { conversationIdOf, dataOf, startMessageFixture, Writer } from './fixture.ts';

const fixture = await startMessageFixture();
const { ada, grace } = fixture;
// All tests share these accounts, because recovering keys for the first time takes long.
const [anna, ben] = [await fixture.mint(), await fixture.mint()];

describe('two accounts that send messages to each other', () => {
  test('may begin at the same time, and share one conversation', async () => {
    const sent = await Promise.all([anna.sends(ben, 'Me first'), ben.sends(anna, 'No, me')]);
    expect(new Set(sent.map(({ conversation_id }) => conversation_id)).size).toBe(1);
    for (const who of [anna, ben]) {
      const texts = (await who.reads(conversationIdOf(anna, ben))).map(({ text }) => text);
      expect(texts.sort()).toEqual(['Me first', 'No, me']);
    }
  });

  test('read the same messages, newest first', async () => {
    const first = await anna.sends(ben, 'Is the ferry running?');
    expect(first.conversation_id).toBe(conversationIdOf(anna, ben));
    await ben.sends(first.conversation_id, 'It is. 🛳️');
    await anna.sends(ben, 'On my way');
    const seen = async (who: Writer) =>
      (await who.reads(first.conversation_id, { count: '3' })).map(({ text, from_me, sender_id }) => [
        text,
        from_me,
        sender_id,
      ]);
    const [a, b] = [anna.account.userId, ben.account.userId];
    expect(await seen(anna)).toEqual([
      ['On my way', true, a],
      ['It is. 🛳️', false, b],
      ['Is the ferry running?', true, a],
    ]);
    expect(await seen(ben)).toEqual([
      ['On my way', false, a],
      ['It is. 🛳️', true, b],
      ['Is the ferry running?', false, a],
    ]);
    const [message] = await anna.reads(first.conversation_id, { count: '1' });
    expect(message).toEqual({
      message_id: expect.stringMatching(/./),
      seq_id: expect.stringMatching(/^\d+$/),
      sender_id: a,
      from_me: true,
      text: 'On my way',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      edited: false,
      deleted: false,
      reactions: [],
      attachment: null,
      undecryptable: null,
    });
  });

  test('read every message once, page by page', async () => {
    const { conversation_id } = await anna.sends(ben, '1');
    for (const text of ['2', '3', '4', '5']) await ben.sends(conversation_id, text);
    const all = await anna.reads(conversation_id, { count: '100' });
    const texts: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: Record<string, string> = { conversation_id, count: '2', ...(cursor !== '' && { cursor }) };
      const page = dataOf(await anna.get('/dm/messages', query));
      texts.push(...(page['messages'] as { text: string }[]).map(({ text }) => text));
      expect(page['has_more']).toBe(page['next_cursor'] !== null);
      cursor = page['next_cursor'] as string | null;
    }
    expect(texts).toEqual(all.map(({ text }) => text));
    expect(texts.slice(0, 5)).toEqual(['5', '4', '3', '2', '1']);
  });
});

describe('a message', () => {
  let conversation_id: string;
  let seq_id: string;
  beforeEach(async () => {
    ({ conversation_id, seq_id } = await anna.sends(ben, 'Frist'));
  });
  const seenBy = async (who: Writer) => (await who.reads(conversation_id))[0];

  test('can be edited by its sender only', async () => {
    const edited = dataOf(await anna.post('/dm/edit', { conversation_id, seq_id, text: 'First' }));
    expect(edited).toEqual({
      ok: true,
      conversation_id,
      target_seq_id: seq_id,
      text: 'First',
      message_id: expect.stringMatching(/./),
    });
    expect(await seenBy(ben)).toMatchObject({ text: 'First', edited: true, seq_id });
    const refused = await ben.post('/dm/edit', { conversation_id, seq_id, text: 'Last' });
    expectRefusal(refused, 403, /^Not one of your own messages/);
    expect(await seenBy(anna)).toMatchObject({ text: 'First' });
  });

  test('has reactions until they are removed', async () => {
    const react = (who: Writer, path: string, emoji: string) => who.post(path, { conversation_id, seq_id, emoji });
    for (const emoji of ['', 'x', 'no emoji', '🎉🎉']) expect((await react(anna, '/dm/react', emoji)).status).toBe(400);
    const added = dataOf(await react(ben, '/dm/react', '🎉'));
    expect(added).toEqual({ ok: true, conversation_id, target_seq_id: seq_id, emoji: '🎉' });
    dataOf(await react(ben, '/dm/react', '🎉'));
    expect(dataOf(await react(anna, '/dm/react', '❤'))).toMatchObject({ emoji: '❤️' });
    dataOf(await react(anna, '/dm/react', '❤️'));
    expect((await seenBy(anna))?.reactions).toEqual([
      { emoji: '🎉', sender_id: ben.account.userId, from_me: false },
      { emoji: '❤️', sender_id: anna.account.userId, from_me: true },
    ]);
    dataOf(await react(ben, '/dm/unreact', '🎉'));
    expect((await seenBy(ben))?.reactions).toEqual([{ emoji: '❤️', sender_id: anna.account.userId, from_me: false }]);
    dataOf(await react(anna, '/dm/unreact', '❤'));
    expect((await seenBy(ben))?.reactions).toEqual([]);
  });

  test('can be deleted for both participants by its sender, and for oneself by the other', async () => {
    const remove = (who: Writer, more: object = {}) => who.post('/dm/delete', { conversation_id, seq_id, ...more });
    expectRefusal(await remove(ben, { for_all: true }), 403);
    expect(dataOf(await remove(ben))).toEqual({ ok: true, conversation_id, target_seq_id: seq_id });
    expect(await seenBy(ben)).toMatchObject({ deleted: true, text: '', undecryptable: null });
    expect(await seenBy(anna)).toMatchObject({ deleted: false, text: 'Frist' });
    dataOf(await remove(anna));
    for (const who of [anna, ben]) expect(await seenBy(who)).toMatchObject({ deleted: true, text: '' });
    const edited = await anna.post('/dm/edit', { conversation_id, seq_id, text: 'Back' });
    expectRefusal(edited, 404, `Message not found: ${seq_id}`);
  });

  test('that was damaged is marked, and the rest of the page is returned', async () => {
    const broken = await fixture.sandbox.makeMessage({
      from: ben.account.userName,
      to: anna.account.userName,
      corrupt: true,
    });
    await ben.sends(conversation_id, 'Whole');
    const page = await anna.reads(conversation_id, { count: '3' });
    expect(page.map(({ text, undecryptable }) => [text, undecryptable])).toEqual([
      ['Whole', null],
      ['', expect.stringMatching(/^(corrupt|bad_signature)$/)],
      ['Frist', null],
    ]);
    expect(page[1]?.seq_id).toBe(broken.event.id);
  });
});

describe('the list of conversations', () => {
  const list = async (who: Writer, query: Record<string, string> = {}, code = true) =>
    dataOf(await who.get('/dm/list', query, code ? who.code : {})) as {
      conversations: ConversationView[];
      next_cursor: Record<string, string> | null;
    };

  test('has details without a code, and the last message with a code', async () => {
    const sent = await anna.sends(ben, 'Down at the harbour');
    await ben.sends(sent.conversation_id, 'Coming');
    const closed = await list(anna, {}, false);
    expect(closed).toMatchObject({
      userId: anna.account.userId,
      has_message_requests: false,
      has_more: false,
      next_cursor: null,
    });
    expect(closed.conversations[0]).toEqual({
      conversation_id: sent.conversation_id,
      type: 'one_to_one',
      is_muted: false,
      has_more: true,
      participant_count: 2,
      participants: expect.arrayContaining([
        {
          type: 'user',
          id: ben.account.userId,
          userName: ben.account.userName,
          name: ben.account.userName,
          url: null,
          profilePicture: null,
          isVerified: false,
          isBlueVerified: false,
          canDm: true,
          hasPublicKey: true,
          createdAt: expect.stringMatching(/Z$/),
        },
      ]),
    });
    const { conversations } = await list(anna);
    expect(conversations[0]?.last_message).toMatchObject({
      text: 'Coming',
      sender_id: ben.account.userId,
      from_me: false,
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  test("opens the seed's conversations with the printed code", async () => {
    const { conversations } = await list(ada);
    expect(conversations.length).toBeGreaterThanOrEqual(4);
    for (const { last_message } of conversations) expect(last_message?.text).not.toBe(undefined);
    expect(conversations.filter(({ last_message }) => last_message?.text !== '').length).toBeGreaterThan(2);
    const messages = await ada.reads(conversationIdOf(ada, grace));
    expect(messages.filter(({ undecryptable }) => undecryptable !== null)).toEqual([]);
    expect(messages.filter(({ deleted, text }) => !deleted && text === '')).toEqual([]);
  });

  test('leaves out the last message of a conversation that the platform answers in another shape', async () => {
    await ada.reads(conversationIdOf(ada, grace));
    const fault = { kind: 'wrong_shape' };
    await fixture.sandbox.setFault({ operation: 'getChatConversationEvents', times: 1, fault });
    const { conversations } = await list(ada);
    const without = conversations.filter(({ last_message }) => last_message === undefined);
    expect({ all: conversations.length > 3, without: without.length }).toEqual({ all: true, without: 1 });
  });

  test('requires both parts of its cursor, and keeps the order of its first page', async () => {
    const others = [await fixture.mint(), await fixture.mint(), await fixture.mint()];
    for (const other of others) await anna.sends(other, 'Hello');
    const order = others.map((other) => conversationIdOf(anna, other)).reverse();
    const first = await list(anna, { count: '2' });
    expect(first.conversations.map((each) => each.conversation_id)).toEqual(order.slice(0, 2));
    await anna.sends(order[2] ?? '', 'The oldest comes to the front');
    const second = await list(anna, { count: '2', ...first.next_cursor });
    expect(second.conversations.map((each) => each.conversation_id).slice(0, 1)).toEqual(order.slice(2));
    const { cursor_id = '', graph_snapshot_id = '' } = first.next_cursor ?? {};
    for (const query of [{ cursor_id }, { graph_snapshot_id }, { cursor_id: graph_snapshot_id, graph_snapshot_id }]) {
      expectRefusal(await anna.get('/dm/list', query as Record<string, string>), 400, /^Malformed field: /);
    }
    expectRefusal(await ben.get('/dm/list', first.next_cursor ?? {}), 400, /^Malformed field: graph_snapshot_id/);
  });
});

describe('is refused', () => {
  test('a conversation that does not exist or belongs to others', async () => {
    const { conversation_id, seq_id } = await anna.sends(ben, 'Ours');
    const stranger = await fixture.mint();
    for (const [who, id] of [
      [stranger, conversation_id],
      [anna, conversationIdOf(anna, stranger)],
    ] as const) {
      const refused = `Conversation not found: ${id}`;
      expectRefusal(await who.get('/dm/messages', { conversation_id: id }), 404, refused);
      expectRefusal(await who.post('/dm/send', { conversation_id: id, text: 'Hi' }), 404, refused);
      expectRefusal(await who.post('/dm/edit', { conversation_id: id, seq_id, text: 'Hi' }), 404, refused);
      expectRefusal(await who.post('/dm/react', { conversation_id: id, seq_id, emoji: '👍' }), 404, refused);
      expectRefusal(await who.post('/dm/delete', { conversation_id: id, seq_id }), 404, refused);
    }
    const unknown = await anna.post('/dm/react', { conversation_id, seq_id: '12', emoji: '👍' });
    expectRefusal(unknown, 404, 'Message not found: 12');
  });

  test('a recipient without keys, an unknown recipient, and oneself', async () => {
    expectRefusal(await ada.post('/dm/send', { user_id: '086633088564', text: 'Hello' }), 404, /user/i);
    const keyless = await fixture.mint({ chatKeys: false });
    const send = (user_id: string) => anna.post('/dm/send', { user_id, text: 'Hi' });
    expectRefusal(await send(keyless.account.userId), 409, /no chat keys/);
    expectRefusal(await send('1'), 404, 'User not found: 1');
    expectRefusal(await send(anna.account.userId), 400, /^Malformed field: user_id/);
  });

  test('a message to a conversation and to a user at once', async () => {
    const { conversation_id } = await anna.sends(ben, 'Ours');
    const both = await anna.post('/dm/send', { conversation_id, user_id: ben.account.userId, text: 'Hi' });
    expectRefusal(both, 400, /give only one of conversation_id and user_id$/);
  });

  test('a call without a code, with two that differ, and with a wrong one', async () => {
    const { conversation_id } = await anna.sends(ben, 'Ours');
    const without = await anna.get('/dm/messages', { conversation_id }, {});
    expectRefusal(without, 400, 'Missing required field: encryption_code');
    const both = await anna.get('/dm/messages', { conversation_id, encryption_code: '111222' });
    expectRefusal(both, 400, /^Malformed field: encryption_code: differs/);
    for (const encryption_code of [' 907351', '907351\n']) {
      const padded = await ben.post('/dm/send', { user_id: anna.account.userId, text: 'Hi', encryption_code });
      expectRefusal(padded, 400, 'Malformed field: encryption_code: begins or ends with a blank');
    }
    const wrong = await ben.get('/dm/list', {}, { 'x-encryption-code': '907351' });
    expectRefusal(wrong, 403, /^Wrong encryption_code: 19 guesses remaining/);
  });

  test('text that is empty or too long', async () => {
    for (const text of ['', 'x'.repeat(10_001)]) {
      expect((await anna.post('/dm/send', { user_id: ben.account.userId, text })).status).toBe(400);
    }
    expect((await anna.sends(ben, 'y'.repeat(10_000))).seq_id).toMatch(/\d/);
  });
});

describe('enrolment', () => {
  test('creates keys once for an account that has none', async () => {
    const keyless = await fixture.mint({ chatKeys: false });
    expectRefusal(await keyless.get('/dm/list'), 409, /no chat keys/);
    const enroll = (encryption_code = '738205', who = keyless) => who.post('/dm/enroll', { encryption_code });
    expectRefusal(await enroll('1234'), 400, /^Malformed field: encryption_code/);
    expectRefusal(await enroll(' 738205'), 400, /begins or ends with a blank$/);
    expect(dataOf(await enroll())).toEqual({ ok: true });
    expectRefusal(await enroll(), 409, /has chat keys/);
    const [answer, asked] = await fixture.sandbox.requestsDuring(() => enroll('738205', anna));
    expectRefusal(answer, 409, /has chat keys/);
    // A code for a new enrolment is not a guess.
    expect(asked).not.toHaveProperty('realmRequest');
    const { conversation_id } = await anna.sends(keyless, 'Welcome');
    const read = await keyless.get('/dm/messages', { conversation_id }, { 'x-encryption-code': '738205' });
    expect(dataOf(read)['messages']).toMatchObject([{ text: 'Welcome', undecryptable: null }]);
  });

  test('replaces keys, after which both users go on in their conversation', async () => {
    const [carl, dora] = [await fixture.mint(), await fixture.mint()];
    const { conversation_id, seq_id } = await dora.sends(carl, 'Before');
    expect(await carl.reads(conversation_id)).toMatchObject([{ text: 'Before' }]);
    dataOf(await carl.post('/dm/enroll', { replace_keys: true, encryption_code: '738205' }));
    carl.account.encryptionCode = '738205';
    expect(await carl.reads(conversation_id)).toMatchObject([{ text: '', undecryptable: 'no_key' }]);
    dataOf(await carl.post('/dm/react', { conversation_id, seq_id, emoji: '👍' }));
    await carl.sends(conversation_id, 'After');
    // Public keys are cached for five minutes for each account.
    const { key } = await fixture.service.makeAccount('1');
    const doraLater = new Writer(dora.account, fixture.client.with({ key }));
    expect(await doraLater.reads(conversation_id)).toMatchObject([
      { text: 'After' },
      { text: 'Before', reactions: [{ emoji: '👍', from_me: false }] },
    ]);
    await doraLater.sends(conversation_id, 'Answer');
    expect((await carl.reads(conversation_id)).map(({ text }) => text)).toEqual(['Answer', 'After', '']);
  });
});
