import { beforeEach, describe, expect, test } from 'vitest';
import { envelopeOf, openEvent } from '../../src/messaging/encryption/index.ts';
import { ChatClient, seqIdOf } from './chat-client.ts';
import { type Account, bearer, type Json, openSandbox, type Reply } from './harness.ts';

const sandbox = await openSandbox();
let minted = 0;
const client = async (): Promise<ChatClient> => new ChatClient(sandbox.url, await sandbox.mint(), `minted:${minted++}`);

let anna: ChatClient;
let ben: ChatClient;
beforeEach(async () => {
  [anna, ben] = [await client(), await client()];
});

const statusOf = ({ status }: Reply): number => status;
const list = async (as: ChatClient, query = ''): Promise<Json> => (await as.call(`chat/conversations${query}`)).body;
const inPath = (one: ChatClient, other: ChatClient) =>
  [one, other]
    .map(({ account }) => BigInt(account.userId))
    .sort((a, b) => (a < b ? -1 : 1))
    .join('-');

describe('a conversation', () => {
  test('returns 404 to everybody but its participants, and before it has a key', async () => {
    expect(statusOf(await anna.events(ben.account))).toBe(404);
    expect(statusOf(await anna.begin(ben.account))).toBe(200);
    expect(statusOf(await anna.say(ben.account, 'Hello'))).toBe(201);
    const stranger = await client();
    for (const path of [inPath(anna, ben), '1-2']) {
      expect(statusOf(await stranger.call(`chat/conversations/${path}`))).toBe(404);
      expect(statusOf(await stranger.call(`chat/conversations/${path}/events`))).toBe(404);
    }
    expect(statusOf(await stranger.call('chat/conversations/nonsense'))).toBe(400);
  });

  test('is found by the ids of both users in any order, and by that of the other one', async () => {
    await anna.begin(ben.account);
    const id = inPath(anna, ben);
    for (const path of [id, id.split('-').reverse().join('-'), ben.account.userId])
      expect((await anna.call(`chat/conversations/${path}`)).body.data.id).toBe(id);
  });

  test('refuses a key that is not newer with 409', async () => {
    expect(statusOf(await anna.begin(ben.account, 5_000))).toBe(200);
    expect(statusOf(await ben.begin(anna.account, 5_000))).toBe(409);
    expect(statusOf(await ben.begin(anna.account, 6_000))).toBe(200);
    await ben.say(anna.account, 'Hello');
    const { meta } = (await anna.events(ben.account)).body;
    expect(meta.conversation_key_events).toHaveLength(2);
    expect(await anna.readsTexts(ben.account)).toEqual(['Hello']);
  });

  test('is a message request until it is answered, unless the receiver follows the sender', async () => {
    const grace = new ChatClient(sandbox.url, sandbox.grace);
    const listed = async () => (await list(grace)).data.map((each: Json) => each.id);
    await anna.begin(grace.account);
    await anna.say(grace.account, 'Hello');
    expect(await listed()).not.toContain(inPath(anna, grace));
    expect(statusOf(await grace.events(anna.account))).toBe(200);
    expect(await list(anna)).toMatchObject({ meta: { has_message_requests: false, result_count: 1 } });
    await grace.say(anna.account, 'Hello to you');
    expect(await listed()).toContain(inPath(anna, grace));
    const carl = await client();
    await sandbox.set('following', anna.account.userId, carl.account);
    await anna.begin(carl.account);
    await anna.say(carl.account, 'Hello');
    const { data, meta } = await list(carl);
    expect([data[0].id, meta.has_message_requests]).toEqual([inPath(anna, carl), false]);
  });

  test('cannot be started with a user who accepts messages only from followed users', async () => {
    const linus = new ChatClient(sandbox.url, sandbox.linus);
    expect(statusOf(await anna.begin(linus.account))).toBe(403);
    expect(statusOf(await linus.begin(anna.account))).toBe(200);
  });
});

describe('an event', () => {
  let first: string;
  beforeEach(async () => {
    await anna.begin(ben.account);
    first = seqIdOf(await anna.say(ben.account, 'one'));
  });

  const edit = (text: string) => ({ kind: 'edit', targetSequenceId: first, text }) as const;
  const reaction = () => ({ kind: 'reactionAdded', targetSequenceId: first, emoji: '👍' }) as const;
  const kindsOf = async (as: ChatClient, other: ChatClient) =>
    (await as.reads(other.account)).map((each) => (each.ok ? each.value.kind : each.reason));

  test('is listed unchanged and once, newest first, page by page, while others are sent', async () => {
    for (const text of ['two', 'three', 'four', 'five']) await ben.say(anna.account, text);
    const reader = await anna.reader(ben.account);
    const seen: string[] = [];
    for (let token = ''; ; ) {
      const { data, meta } = (await anna.events(ben.account, `?max_results=2${token && `&pagination_token=${token}`}`))
        .body;
      for (const { encoded_event, id } of data) {
        const opened = openEvent(encoded_event, reader);
        expect(envelopeOf(encoded_event)?.sequenceId).toBe(id);
        if (opened.ok && opened.value.kind === 'message') seen.push(opened.value.text);
      }
      expect(meta.has_more).toBe(meta.next_token !== undefined);
      if (meta.next_token === undefined) break;
      token = meta.next_token;
      await ben.say(anna.account, 'later');
    }
    expect(seen).toEqual(['five', 'four', 'three', 'two', 'one']);
  });

  test('loses its content when it is deleted, for one participant or for both', async () => {
    await anna.say(ben.account, edit('two'));
    await ben.say(anna.account, reaction());
    expect(await kindsOf(ben, anna)).toEqual(['reactionAdded', 'edit', 'message']);
    expect(statusOf(await ben.remove(anna.account, first, false))).toBe(200);
    expect(await kindsOf(ben, anna)).toEqual(['delete', 'reactionAdded', 'edit', 'deleted']);
    expect(await kindsOf(anna, ben)).toEqual(['reactionAdded', 'edit', 'message']);
    expect(statusOf(await anna.remove(ben.account, first, true))).toBe(200);
    expect(await kindsOf(anna, ben)).toEqual(['delete', 'reactionAdded', 'edit', 'deleted']);
  });

  test('is deleted for all by its sender only, and an unknown one is 404', async () => {
    expect(statusOf(await ben.remove(anna.account, first, true))).toBe(403);
    expect(statusOf(await ben.remove(anna.account, '12', false))).toBe(404);
  });

  test('of an action is refused with 400 if its signed detail is another one', async () => {
    const path = `chat/conversations/${ben.account.userId}/messages/delete`;
    const action = { message_id: 'an-id-of-8', encoded_message_event_detail: 'AAAA' };
    const signature = { signature: 'AAAA', public_key_version: '1', signature_version: '7' };
    const body = {
      sequence_ids: [first],
      delete_message_action: 'delete_for_self',
      action_signatures: [{ ...action, message_event_signature: signature }],
    };
    expect(statusOf(await anna.call(path, body))).toBe(400);
    expect(statusOf(await anna.call(path, { ...body, action_signatures: [] }))).toBe(400);
    expect(statusOf(await anna.call(path.replace('/delete', ''), { message_id: 'an-id-of-8' }))).toBe(400);
  });

  test('can be deleted, and none can be sent, if one of the two blocks the other', async () => {
    await sandbox.set('blocking', anna.account.userId, ben.account);
    expect(statusOf(await anna.say(ben.account, edit('two')))).toBe(403);
    expect(statusOf(await anna.remove(ben.account, first, true))).toBe(200);
  });

  test('is stored once for each token and each message id', async () => {
    const headers = { 'idempotency-token': 'abc' };
    const said = await anna.say(ben.account, 'Once', headers);
    const again = await anna.say(ben.account, 'Once, sealed anew', headers);
    expect(again.body).toEqual(said.body);
    const event = await anna.seal(ben.account, { kind: 'message', text: 'Same id', attachments: [] });
    expect((await anna.post(ben.account, event)).body).toEqual((await anna.post(ben.account, event)).body);
    expect(await anna.readsTexts(ben.account)).toEqual(['Same id', 'Once', 'one']);
  });

  test('is in the activity of both participants, without its content after it was deleted for all', async () => {
    const both = [anna, ben] as const;
    const cursors = await Promise.all(
      both.map(async ({ account }) => (await sandbox.get('/sandbox/activity', account)).body.meta.next_token as string),
    );
    const since = async () =>
      Promise.all(
        both.map(async (as, index) => {
          const other = as === anna ? ben : anna;
          const { body } = await sandbox.get(`/sandbox/activity?pagination_token=${cursors[index]}`, as.account);
          const reader = await as.reader(other.account);
          return body.data.map(({ type, chat }: Json) => {
            const opened = openEvent(chat.encoded_event, reader);
            return [type, chat.from_me === (chat.sender_id === as.account.userId), opened.ok || opened.reason];
          });
        }),
      );
    const seqId = seqIdOf(await ben.say(anna.account, 'two'));
    await anna.say(ben.account, { kind: 'reactionAdded', targetSequenceId: seqId, emoji: '👍' });
    expect(await since()).toEqual([0, 1].map(() => Array(2).fill(['chat', true, true])));
    await ben.remove(anna.account, seqId, true);
    const after = ['deleted', true, true].map((opened) => ['chat', true, opened]);
    expect(await since()).toEqual([after, after]);
  });
});

describe('the list of conversations', () => {
  async function manyConversations(count: number) {
    const others: ChatClient[] = [];
    for (let made = 0; made < count; made++) {
      const other = await client();
      await anna.begin(other.account);
      await anna.say(other.account, 'Hello');
      others.push(other);
    }
    return others;
  }

  test('keeps the order of its first page, even if conversations move between pages', async () => {
    const others = await manyConversations(7);
    const seen: string[] = [];
    for (let token = ''; ; ) {
      const { data, meta } = await list(anna, `?max_results=2${token && `&pagination_token=${token}`}`);
      seen.push(...data.map((each: Json) => each.id));
      if (meta.next_token === undefined) break;
      token = meta.next_token;
      // The oldest conversation becomes the newest, and a new one is created.
      await anna.say(others[0]?.account ?? ben.account, 'Again');
      await manyConversations(1);
    }
    expect(seen).toEqual(others.map((other) => inPath(anna, other)).reverse());
  });

  test('has the participants if they are expanded, and refuses unknown names and tokens with 400', async () => {
    await manyConversations(1);
    const { includes } = await list(anna, '?expansions=participant_ids&user.fields=receives_your_dm');
    expect(includes.users).toHaveLength(2);
    for (const query of ['?expansions=x', '?chat_conversation.fields=x', '?pagination_token=x', '?count=2'])
      expect(statusOf(await anna.call(`chat/conversations${query}`))).toBe(400);
  });
});

describe('encrypted attachments', () => {
  const bytes = Buffer.alloc(1_500_000, 'sealed');

  const begin = async (as: ChatClient, other: ChatClient, total_bytes = bytes.length) =>
    as.call('chat/media/upload/initialize', { conversation_id: inPath(as, other).replace('-', ':'), total_bytes });

  test('are uploaded in segments, and available to participants only', async () => {
    await anna.begin(ben.account);
    const stranger = await client();
    expect(statusOf(await begin(stranger, ben))).toBe(404);
    const { session_id, media_hash_key, conversation_id } = (await begin(anna, ben)).body.data;
    const upload = (as: ChatClient, step: string, body: object) =>
      as.call(`chat/media/upload/${session_id}/${step}`, { media_hash_key, conversation_id, ...body });
    const append = (segment_index: number, part: Buffer, as = anna) =>
      upload(as, 'append', { segment_index, media: part.toString('base64') });
    expect(statusOf(await append(0, bytes, stranger))).toBe(404);
    expect(statusOf(await append(1, bytes))).toBe(400);
    expect(statusOf(await append(0, bytes.subarray(0, 1_000_000)))).toBe(200);
    expect(statusOf(await upload(anna, 'finalize', { num_parts: '1' }))).toBe(400);
    for (let repeated = 0; repeated < 2; repeated++)
      expect(statusOf(await append(1, bytes.subarray(1_000_000)))).toBe(200);
    for (let repeated = 0; repeated < 2; repeated++)
      expect((await upload(anna, 'finalize', { num_parts: '2' })).body.data).toEqual({ success: true });
    const get = (account: Account) =>
      fetch(`${sandbox.url}/2/chat/media/${inPath(anna, ben)}/${media_hash_key}`, { headers: bearer(account) });
    expect(Buffer.from(await (await get(ben.account)).arrayBuffer()).equals(bytes)).toBe(true);
    expect((await get(stranger.account)).status).toBe(404);
  });
});

test('public keys are returned for users of any kind, and registered once', async () => {
  const keyless = await sandbox.mint({ chatKeys: false });
  minted += 1;
  const rows = await anna.publicKeys(`${anna.account.userId},${keyless.userId},1`);
  expect(rows.map((row) => row.user_id)).toEqual([anna.account.userId]);
  const register = (as: Account, row: Json) => {
    const { public_key, signing_public_key, identity_public_key_signature, signing_public_key_signature } = row;
    const keys = { public_key, signing_public_key, identity_public_key_signature, signing_public_key_signature };
    const body = { public_key: keys, version: '5', generate_version: false };
    return sandbox.x(`/2/users/${as.userId}/public_keys`, as, { method: 'POST', body });
  };
  expect(statusOf(await register(anna.account, rows[0]))).toBe(200);
  expect(statusOf(await register(ben.account, rows[0]))).toBe(409);
  expect((await register(keyless, rows[0])).body.data).toMatchObject({ public_key_version: '5' });
  expect((await anna.call(`users/${keyless.userId}/public_keys`)).body.data).toHaveLength(1);
});
