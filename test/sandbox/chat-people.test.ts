import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  ConversationKeys,
  conversationIdOf,
  importChatKeys,
  openEvents,
  Peers,
  placeEvent,
  registrationOf,
  type Self,
  sealContent,
} from '../../src/messaging/encryption/index.ts';
import { chatPrivateKeysFor } from '../../src/sandbox/seed/credentials.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type Account, type Json, openSandbox } from './harness.ts';

const dataDir = temporaryFolder();
const sandbox = await openSandbox({ dataDir, activity: true });

/** A user whose keys are derived from the seed, with a client of the encryption scheme. */
class Reader {
  readonly account: Account;
  readonly self: Self;

  constructor(account: Account, version: string, label: string) {
    const keys = importChatKeys(chatPrivateKeysFor('postern', label));
    if (keys === undefined) throw new Error('no keys');
    this.account = account;
    this.self = { userId: account.userId, publicKeyVersion: version, keys };
  }

  static async of(account: Account, label = account.userName): Promise<Reader> {
    const [{ keys }] = (await sandbox.get(`/sandbox/chat/public-keys?user_ids=${account.userId}`, account)).body.users;
    return new Reader(account, keys[0].version, label);
  }

  async reads(id: string, page: Json) {
    const registered = await Promise.all(
      id.split(':').map(async (userId) => {
        const [{ keys }] = (await sandbox.get(`/sandbox/chat/public-keys?user_ids=${userId}`, this.account)).body.users;
        return keys.map((each: Json) => ({
          userId,
          publicKeyVersion: each.version,
          publicKey: each.identity_public_key,
          signingPublicKey: each.signing_public_key,
          identityPublicKeySignature: each.identity_signature,
          signingPublicKeySignature: each.signing_signature,
        }));
      }),
    );
    const place = (event: Json) => {
      const { message_id: messageId, sender_id: senderId, detail, signature } = event;
      return placeEvent(
        { messageId, senderId, conversationId: id, detail, signature },
        { sequenceId: event.seq_id, createdAtMs: Date.parse(event.created_at) },
      );
    };
    const keys = new ConversationKeys();
    const reader = { self: this.self, conversationId: id, peers: new Peers(registered.flat()), keys };
    const told = page.messages.filter((each: Json) => each.detail !== null);
    const all = [...page.key_changes, ...told, ...told.flatMap((each: Json) => each.about)];
    return { opened: openEvents(all.map(place), reader), keys };
  }
}

const messagesOf = async (account: Account, id: string) =>
  (await sandbox.get(`/sandbox/chat/conversations/${id}/messages?count=100`, account)).body;
const idOf = (one: Account, other: Account) => conversationIdOf(one.userId, other.userId);

describe("the seed's conversations", () => {
  test('exist for ada and grace, including one between the two and message requests', async () => {
    const { body } = await sandbox.get('/sandbox/chat/conversations', sandbox.ada);
    expect(body.conversations.length).toBeGreaterThanOrEqual(4);
    expect(body.has_message_requests).toBe(true);
    const ids = body.conversations.map((each: Json) => each.id);
    expect(ids).toContain(idOf(sandbox.ada, sandbox.grace));
    expect((await sandbox.get('/sandbox/chat/conversations', sandbox.grace)).body.has_message_requests).toBe(true);
  });

  test('can be decrypted by both participants, with the same texts', async () => {
    const id = idOf(sandbox.ada, sandbox.grace);
    const page = await messagesOf(sandbox.ada, id);
    const [ada, grace] = await Promise.all([Reader.of(sandbox.ada), Reader.of(sandbox.grace)]);
    const { opened } = await ada.reads(id, page);
    expect(opened.filter(({ ok }) => !ok)).toEqual([]);
    expect(opened.length).toBeGreaterThan(8);
    expect((await grace.reads(id, await messagesOf(sandbox.grace, id))).opened).toEqual(opened);
  });

  test('are the same in every run', async () => {
    const again = await openSandbox({ dataDir: null, now: () => Date.parse('2026-11-01T00:00:00Z') });
    const other = await openSandbox({ dataDir: null, now: () => Date.parse('2026-11-01T00:00:30Z') });
    const id = idOf(again.ada, again.grace);
    const path = `/sandbox/chat/conversations/${id}/messages`;
    expect((await again.get(path)).body.messages).toEqual((await other.get(path)).body.messages);
  });
});

describe('sandbox users', () => {
  test('answer messages, encrypted for the participants only', async () => {
    const { body } = await sandbox.get('/sandbox/chat/conversations', sandbox.ada);
    const demo = [sandbox.grace.userId, sandbox.linus.userId];
    const { id } = body.conversations.find((each: Json) => !demo.some((one) => each.id.includes(one)));
    const ada = await Reader.of(sandbox.ada);
    const { keys } = await ada.reads(id, await messagesOf(sandbox.ada, id));
    const key = keys.latest;
    if (key === undefined) throw new Error('no key');
    const content = { kind: 'message', text: 'Canary: is the kettle on?', attachments: [] } as const;
    const signed = sealContent(ada.self, id, key, content, (length) => Buffer.alloc(length, 7));
    const sent = await sandbox.call('POST', `/sandbox/chat/conversations/${id}/events`, {
      as: sandbox.ada,
      body: { kind: 'message', message_id: signed.messageId, detail: signed.detail, signature: signed.signature },
    });
    expect(sent.status).toBe(201);
    const answer = await until(async () => {
      const page = await messagesOf(sandbox.ada, id);
      expect(page.messages[0].sender_id).not.toBe(sandbox.ada.userId);
      return page;
    });
    const { opened } = await ada.reads(id, answer);
    expect(opened.filter(({ ok }) => !ok)).toEqual([]);
    const said = opened.flatMap((each) => (each.ok && each.value.kind === 'message' ? [each.value.text] : []));
    expect(said).toContain('Canary: is the kettle on?');

    const kept = readdirSync(dataDir, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(kept.length).toBeGreaterThan(0);
    for (const text of [...said, 'Canary'])
      expect(
        kept.some((bytes) => bytes.includes(text)),
        text,
      ).toBe(false);
  });

  test('send the messages of `POST /control/messages`, damaged if requested', async () => {
    const reader = await sandbox.mint();
    const say = (more: object) => sandbox.control('messages', { from: 'grace', to: reader.userName, ...more });
    expect((await say({ text: 'Whole' })).status).toBe(201);
    await say({ text: 'Broken', corrupt: true });
    await say({ kind: 'reaction_added', emoji: '👍' }).then(({ status }) => expect(status).toBe(400));
    await say({ kind: 'deletion' });
    const id = idOf(sandbox.grace, reader);
    const page = await messagesOf(reader, id);
    expect(page.messages.map((each: Json) => each.deleted)).toEqual(['all', null]);
    const { opened } = await (await Reader.of(reader, 'minted:0')).reads(id, page);
    expect(opened.map((each) => each.ok)).toEqual([true, true]);
    await say({ text: 'Broken again', corrupt: true });
    const { opened: after } = await (await Reader.of(reader, 'minted:0')).reads(id, await messagesOf(reader, id));
    expect(after.filter(({ ok }) => !ok)).toHaveLength(1);
  });

  test('register keys once', async () => {
    const { self } = await Reader.of(sandbox.ada);
    const made = registrationOf(self.keys);
    const body = {
      identity_public_key: made.publicKey,
      signing_public_key: made.signingPublicKey,
      identity_signature: made.identityPublicKeySignature,
      signing_signature: made.signingPublicKeySignature,
    };
    const register = (as: Account) => sandbox.call('POST', '/sandbox/chat/public-keys', { as, body });
    expect((await register(sandbox.ada)).status).toBe(200);
    const refused = await register(sandbox.grace);
    expect([refused.status, refused.body.reason]).toEqual([409, 'has_chat_keys']);
  });
});
