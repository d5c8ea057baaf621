import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { conversationIdOf } from '../../src/messaging/encryption/index.ts';
import { type Account, type Json, openSandbox, type Reply } from './harness.ts';

/** The platform treats messages as bytes, so any bytes are valid here. */
const blob = (text: string) => ({
  message_id: randomUUID(),
  detail: Buffer.from(`sealed ${text}`).toString('base64'),
  signature: Buffer.from(`signed ${text}`).toString('base64'),
});

let anna: Account;
let ben: Account;
let id: string;
const sandbox = await openSandbox();
beforeEach(async () => {
  [anna, ben] = [await sandbox.mint(), await sandbox.mint()];
  id = conversationIdOf(anna.userId, ben.userId);
});

const begin = (as: Account, version = '1', previous: string | null = null, more: object = {}) =>
  sandbox.call('POST', `/sandbox/chat/conversations/${id}/keys`, {
    as,
    body: { ...blob(`key ${version}`), version, previous_version: previous, ...more },
  });

const say = (as: Account, text: string, more: object = {}, headers: Record<string, string> = {}) =>
  sandbox.call('POST', `/sandbox/chat/conversations/${id}/events`, {
    as,
    body: { ...blob(text), kind: 'message', ...more },
    headers,
  });

const about = (as: Account, kind: string, seqId: string, more: object = {}) =>
  say(as, kind, { kind, target_seq_id: seqId, ...more });

const messages = async (as: Account, query = ''): Promise<Json> =>
  (await sandbox.get(`/sandbox/chat/conversations/${id}/messages${query}`, as)).body;

const list = async (as: Account, query = ''): Promise<Json> =>
  (await sandbox.get(`/sandbox/chat/conversations${query}`, as)).body;

const codeOf = ({ status, body }: Reply) => [status, body.reason];

describe('a conversation', () => {
  test('is 404 for everybody but its participants, and before it has a key', async () => {
    expect(codeOf(await sandbox.get(`/sandbox/chat/conversations/${id}/messages`, anna))).toEqual([404, 'not_found']);
    expect(codeOf(await say(anna, 'Hello'))).toEqual([404, 'not_found']);
    expect((await begin(anna)).status).toBe(201);
    expect((await say(anna, 'Hello')).status).toBe(201);
    const stranger = await sandbox.mint();
    for (const path of [`/${id}`, `/${id}/messages`, '/1:2/messages', '/nonsense']) {
      const reply = await sandbox.get(`/sandbox/chat/conversations${path}`, stranger);
      expect(codeOf(reply)).toEqual([404, 'not_found']);
    }
    expect((await begin(stranger)).status).toBe(404);
  });

  test('has one current key: the second of two concurrent changes is refused with 409', async () => {
    expect((await begin(anna, '5')).status).toBe(201);
    expect(codeOf(await begin(ben, '6'))).toEqual([409, 'key_changed']);
    expect(codeOf(await begin(ben, '5', '5'))).toEqual([409, 'key_changed']);
    expect((await begin(ben, '6', '5')).status).toBe(201);
    await say(ben, 'Hello');
    const { key_changes } = await messages(ben);
    expect(key_changes.map((change: Json) => change.version)).toEqual(['5', '6']);
  });

  test('is a message request until it is answered, unless the receiver follows the sender', async () => {
    const { grace } = sandbox;
    id = conversationIdOf(anna.userId, grace.userId);
    const listed = async () => (await list(grace)).conversations.map((each: Json) => each.id);
    await begin(anna);
    await say(anna, 'Hello');
    expect(await listed()).not.toContain(id);
    const request = await sandbox.get(`/sandbox/chat/conversations/${id}`, grace);
    expect(request.body.conversation.request).toBe(true);
    expect(await list(anna)).toMatchObject({ has_message_requests: false, conversations: [{ id, request: false }] });
    await say(grace, 'Hello to you');
    expect(await listed()).toContain(id);

    const carl = await sandbox.mint();
    await sandbox.set('following', anna.userId, carl);
    id = conversationIdOf(anna.userId, carl.userId);
    await begin(anna);
    await say(anna, 'Hello');
    expect(await list(carl)).toMatchObject({ has_message_requests: false, conversations: [{ id }] });
  });

  test('cannot be started with a user who accepts messages only from followed users', async () => {
    const { body } = await sandbox.x('/2/users/by/username/linus?user.fields=receives_your_dm', anna);
    expect(body.data.receives_your_dm).toBe(false);
    id = conversationIdOf(anna.userId, sandbox.linus.userId);
    expect(codeOf(await begin(anna))).toEqual([403, 'forbidden']);
    expect((await begin(sandbox.linus)).status).toBe(201);
  });
});

describe('a message', () => {
  let first: string;
  beforeEach(async () => {
    await begin(anna);
    first = (await say(anna, 'one')).body.event.seq_id;
  });

  test('is listed unchanged and once, newest first, page by page, while others are sent', async () => {
    for (const text of ['two', 'three', 'four', 'five']) await say(ben, text);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await messages(anna, `?count=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.messages.map((each: Json) => Buffer.from(each.detail, 'base64').toString()));
      cursor = page.next_cursor ?? '';
      await say(ben, 'later');
    } while (cursor !== '');
    expect(seen).toEqual(['five', 'four', 'three', 'two', 'one'].map((text) => `sealed ${text}`));
  });

  test('is listed with its edits and reactions, and without ciphertext after it was deleted for all', async () => {
    await about(anna, 'edit', first);
    await about(ben, 'reaction_added', first);
    const kinds = async (as: Account) => {
      const [message] = (await messages(as)).messages;
      return [message.deleted, message.detail !== null, ...message.about.map((each: Json) => each.kind)];
    };
    expect(await kinds(ben)).toEqual([null, true, 'edit', 'reaction_added']);
    await about(ben, 'deletion', first);
    expect(await kinds(ben)).toEqual(['self', false]);
    expect(await kinds(anna)).toEqual([null, true, 'edit', 'reaction_added']);
    await about(anna, 'deletion', first, { for_all: true });
    expect(await kinds(ben)).toEqual(['all', false, 'deletion']);
    expect(codeOf(await about(ben, 'reaction_added', first))).toEqual([404, 'not_found']);
  });

  test('can be changed by its author only; unknown messages and kinds are refused', async () => {
    expect(codeOf(await about(ben, 'edit', first))).toEqual([403, 'forbidden']);
    expect(codeOf(await about(ben, 'deletion', first, { for_all: true }))).toEqual([403, 'forbidden']);
    expect(codeOf(await about(ben, 'edit', '12'))).toEqual([404, 'not_found']);
    expect(codeOf(await say(ben, 'x', { kind: 'edit' }))).toEqual([400, 'bad_request']);
    expect(codeOf(await say(ben, 'x', { kind: 'shout' }))).toEqual([400, 'bad_request']);
    expect(codeOf(await say(ben, 'x', { detail: 'A'.repeat(200_000) }))).toEqual([400, 'bad_request']);
  });

  test('can be deleted, and not edited or reacted to, if one of the two blocks the other', async () => {
    const body = { target_user_id: anna.userId };
    expect((await sandbox.x(`/2/users/${ben.userId}/blocking`, ben, { method: 'POST', body })).status).toBe(200);
    for (const kind of ['edit', 'reaction_added', 'reaction_removed'])
      expect(codeOf(await about(anna, kind, first))).toEqual([403, 'forbidden']);
    expect((await about(anna, 'deletion', first)).status).toBe(201);
  });

  test('is stored once for each token and each message id', async () => {
    const headers = { 'idempotency-token': 'abc' };
    const said = await say(anna, 'Once', {}, headers);
    const again = await say(anna, 'Once, sealed anew', {}, headers);
    expect([said.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(said.body);
    expect(codeOf(await about(anna, 'edit', first)).at(0)).toBe(201);
    const other = await say(anna, 'edit', { kind: 'edit', target_seq_id: first }, headers);
    expect(codeOf(other)).toEqual([409, 'idempotency_conflict']);
    const body = { ...blob('Same id'), kind: 'message' };
    const send = () => sandbox.call('POST', `/sandbox/chat/conversations/${id}/events`, { as: anna, body });
    expect((await send()).body).toEqual((await send()).body);
    expect((await messages(anna)).messages).toHaveLength(3);
  });

  test('is in the activity of both participants with each change, without ciphertext after it was deleted for all', async () => {
    const cursors = await Promise.all(
      [anna, ben].map(async (as) => (await sandbox.get('/sandbox/activity', as)).body.next_cursor as string),
    );
    const since = async () =>
      Promise.all(
        [anna, ben].map(async (as, index) => {
          const { body } = await sandbox.get(`/sandbox/activity?cursor=${cursors[index]}`, as);
          return body.events.map(({ type, chat }: Json) => {
            expect(chat.conversation_id).toBe(id);
            return [type, chat.kind, chat.detail !== null, chat.signature !== null];
          });
        }),
      );
    const { seq_id } = (await say(ben, 'two')).body.event;
    const steps = ['message', 'edit', 'reaction_added', 'reaction_removed'];
    await about(ben, 'edit', seq_id);
    await about(anna, 'reaction_added', seq_id);
    await about(anna, 'reaction_removed', seq_id);
    expect(await since()).toEqual([0, 1].map(() => steps.map((kind) => ['chat', kind, true, true])));
    await about(ben, 'deletion', seq_id, { for_all: true });
    const gone = steps.map((kind) => ['chat', kind, false, false]);
    expect(await since()).toEqual([0, 1].map(() => [...gone, ['chat', 'deletion', true, true]]));
  });
});

describe('the list of conversations', () => {
  test('keeps the order of its first page, even if conversations move between pages', async () => {
    const { graph, ids } = await manyConversations(7);
    const seen: string[] = [];
    let query = '?count=2';
    for (let page = await list(anna, query); ; page = await list(anna, query)) {
      seen.push(...page.conversations.map((each: Json) => each.id));
      if (page.next_cursor === null) break;
      query = `?count=2&${new URLSearchParams(page.next_cursor)}`;
      // The oldest conversation becomes the newest, and a new one is created.
      id = ids[0] ?? '';
      await say(anna, 'Again');
      await manyConversations(1);
    }
    expect(seen).toEqual(graph);
  });

  test('accepts both parts of a cursor or none, and no cursor of another list', async () => {
    await manyConversations(2);
    const { next_cursor } = await list(anna, '?count=1');
    const { cursor_id, graph_snapshot_id } = next_cursor;
    for (const query of [{ cursor_id }, { graph_snapshot_id }, { cursor_id: graph_snapshot_id, graph_snapshot_id }]) {
      expect((await sandbox.get(`/sandbox/chat/conversations?${new URLSearchParams(query)}`, anna)).status).toBe(400);
    }
    expect((await sandbox.get(`/sandbox/chat/conversations?${new URLSearchParams(next_cursor)}`, ben)).status).toBe(
      400,
    );
  });

  async function manyConversations(count: number) {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) {
      const other = await sandbox.mint();
      id = conversationIdOf(anna.userId, other.userId);
      await begin(anna);
      await say(anna, 'Hello');
      ids.push(id);
    }
    return { ids, graph: [...ids].reverse() };
  }
});

describe('sealed attachments', () => {
  test('are available to participants only, under a hash of their bytes', async () => {
    await begin(anna);
    const bytes = Buffer.alloc(1_500_000, 'sealed');
    const upload = (as: Account) =>
      fetch(`${sandbox.url}/sandbox/chat/conversations/${id}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as.authToken}`, 'content-type': 'application/octet-stream' },
        body: bytes,
      });
    const { media_hash_key: hash, size } = (await (await upload(anna)).json()) as Json;
    expect([hash, size]).toEqual([createHash('sha256').update(bytes).digest('base64url'), bytes.length]);
    expect((await upload(ben)).status).toBe(201);
    expect((await upload(await sandbox.mint())).status).toBe(404);
    const pieces: Buffer[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { body } = await sandbox.get(`/sandbox/chat/media/${hash}?offset=${offset}`, ben);
      pieces.push(Buffer.from(body.bytes, 'base64'));
      offset = body.next_offset;
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(codeOf(await sandbox.get(`/sandbox/chat/media/${hash}`, await sandbox.mint()))).toEqual([404, 'not_found']);
  });
});
