import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { DirectMessages } from '../../../src/messaging/conversations/direct-messages.ts';
import type { MessagingSession } from '../../../src/messaging/conversations/messaging-session.ts';
import { sealContent, sealedSize } from '../../../src/messaging/encryption/index.ts';
import type { ChatKeyService } from '../../../src/messaging/key-recovery/chat-key-service.ts';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import { XPlatform } from '../../../src/platform/x/adapter.ts';
import { chatPrivateKeysFor } from '../../../src/sandbox/seed/credentials.ts';
import { systemRuntime as runtime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { ChatClient } from '../../sandbox/chat-client.ts';
import { type Account, openSandbox } from '../../sandbox/harness.ts';
import { atEnd } from '../../support/at-end.ts';
import { startCheckedX } from '../../support/checked-x.ts';
import { fakeX } from './fake-x.ts';

/*
 * Direct messages of the adapter of X against the sandbox without extensions. Each request and answer is compared with X's
 * document. The private keys are those of the seed, because recovery is another part.
 */

const sandbox = await openSandbox();
const checked = await startCheckedX(sandbox.url);
atEnd(() => checked.stop());
const guard = new OutboundGuard({ allow: [], runtime });
const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_024, timeoutMs: 5_000 });
const options = { origin: checked.url, timeoutMs: 20_000, runtime, proxies };
const platform = new XPlatform({ ...options, appToken: null, identifiers: null, onCreditExhausted: () => {} });
atEnd(() => proxies.close());
atEnd(() => platform.close());

const labels = new Map<string, string>();
const recovered = new Map<string, RecoveredKeys>();
const chatKeys = {
  recover: async (_session: unknown, { authToken }: { authToken: Secret }) => {
    const [userId = '', label = ''] = labels.get(authToken.expose())?.split(' ') ?? [];
    const known = recovered.get(userId) ?? new RecoveredKeys(userId, chatPrivateKeysFor('postern', label));
    recovered.set(userId, known);
    return known;
  },
} as unknown as ChatKeyService;

/** `process` stands for a gateway process with caches of its own. */
function sessionOf(
  { userId, authToken: token }: Account,
  label: string,
  process = new DirectMessages({ chatKeys, runtime }),
) {
  const authToken = new Secret(token);
  labels.set(token, `${userId} ${label}`);
  const call = { account: 'acc', authToken, proxy: null, signal: null, tokenFor: () => 'unused' };
  const who = { account: 'acc', authToken, proxy: null };
  return process.session({ session: platform.as(call), who, code: new Secret('1') });
}

const [one, two] = [await sandbox.mint(), await sandbox.mint()];
const anna = sessionOf(one, 'minted:0');
const ben = sessionOf(two, 'minted:1');
const { conversationId } = await anna.send({ userId: two.userId }, 'First');

describe("direct messages over X's API", () => {
  test('are listed with their participants and last messages', async () => {
    const { conversations, hasMessageRequests, viewerId } = await ben.conversations(20, null);
    expect([hasMessageRequests, viewerId]).toEqual([false, two.userId]);
    expect(conversations).toMatchObject([
      {
        conversation_id: conversationId,
        type: 'one_to_one',
        has_more: false,
        last_message: { text: 'First', from_me: false },
        participants: [{ hasPublicKey: true }, { hasPublicKey: true }],
      },
    ]);
  });

  test('are found by both orders of the ids in their conversation', async () => {
    const reversed = conversationId.split(':').reverse().join(':');
    expect((await ben.messages(reversed, 20, null)).messages.length).toBeGreaterThan(0);
    expect(await ben.send({ conversationId: reversed }, 'Second')).toMatchObject({ conversationId });
  });

  test('are edited, reacted to and deleted', async () => {
    const { seqId } = await anna.send({ conversationId }, 'Frist');
    await anna.edit(conversationId, seqId, 'First again');
    await ben.react(conversationId, seqId, '🎉', true);
    const newest = async () => (await ben.messages(conversationId, 1, null)).messages[0];
    expect(await newest()).toMatchObject({ text: 'First again', edited: true, reactions: [{ emoji: '🎉' }] });
    await ben.react(conversationId, seqId, '🎉', false);
    expect(await newest()).toMatchObject({ reactions: [] });
    await expect(ben.edit(conversationId, seqId, 'Mine')).rejects.toMatchObject({ reason: 'not_owner' });
    await anna.delete(conversationId, seqId, undefined);
    expect(await newest()).toMatchObject({ deleted: true, text: '', undecryptable: null });
    await expect(ben.react(conversationId, seqId, '🎉', true)).rejects.toMatchObject({ reason: 'resource_not_found' });
  });

  test('have attachments, which are sent in segments of 3 MiB', async () => {
    const file = Buffer.alloc(3 * 1024 * 1024 + 5, 'loom');
    const open = () => Readable.from([file]);
    const media = { open, size: file.length, type: 'video/mp4', kind: 'video' } as never;
    const attachment = { media, type: 3, filename: 'loom.mp4', width: 4, height: 5 } as const;
    const { mediaHashKey } = await anna.sendMedia(conversationId, 'Look', attachment);
    const [message] = (await ben.messages(conversationId, 1, null)).messages;
    expect(message).toMatchObject({ text: 'Look', attachment: { media_hash_key: mediaHashKey, type: 3 } });
    const headers = { authorization: `Bearer ${two.authToken}` };
    const kept = await fetch(`${sandbox.url}/2/chat/media/${one.userId}/${mediaHashKey}`, { headers });
    expect((await kept.arrayBuffer()).byteLength).toBe(sealedSize(file.length));
  });

  test('are paged with their changes, by the same process or another one', async () => {
    const texts = Array.from({ length: 9 }, (_, at) => `Page ${at}`);
    const sent = [];
    for (const text of texts) sent.push(await ben.send({ conversationId }, text));
    await ben.edit(conversationId, sent[0]?.seqId ?? '', 'Page 0, mended');
    for (const isSame of [true, false]) {
      const read: string[] = [];
      let cursor: string | null = null;
      do {
        const session: MessagingSession = isSame ? anna : sessionOf(one, 'minted:0');
        const page: Awaited<ReturnType<MessagingSession['messages']>> = await session.messages(
          conversationId,
          2,
          cursor,
        );
        read.push(...page.messages.map(({ text }) => text));
        cursor = page.cursor;
      } while (cursor !== null && read.length < texts.length);
      expect(read.slice(0, texts.length)).toEqual([...texts.slice(1).reverse(), 'Page 0, mended']);
    }
  });

  test('are refused for a conversation that does not exist, and for one of others', async () => {
    const refused = { reason: 'resource_not_found', message: 'Conversation not found: 1:2' };
    await expect(ben.messages('1:2', 20, null)).rejects.toMatchObject(refused);
    await expect(ben.send({ conversationId: '1:2' }, 'Hi')).rejects.toMatchObject(refused);
  });

  test('are begun once by two users at the same time', async () => {
    const [three, four] = [await sandbox.mint(), await sandbox.mint()];
    const [carl, dora] = [sessionOf(three, 'minted:2'), sessionOf(four, 'minted:3')];
    const sent = await Promise.all([
      carl.send({ userId: four.userId }, 'Me first'),
      dora.send({ userId: three.userId }, 'No, me'),
    ]);
    const [{ conversationId: shared }] = sent;
    for (const each of [carl, dora]) {
      const { messages } = await each.messages(shared, 20, null);
      expect(messages.map(({ text }) => text).sort()).toEqual(['Me first', 'No, me']);
    }
  });
});

test('a message is looked for in 500 events only', async () => {
  // The newest 500 events are changes of one message, which is older.
  const client = new ChatClient(sandbox.url, one, 'minted:0');
  const { seqId } = await anna.send({ conversationId }, 'Far away');
  const content = { kind: 'edit', targetSequenceId: seqId, text: 'Near' } as const;
  const { self, keys } = await client.reader(two);
  if (keys.latest === undefined) throw new Error('no key');
  for (let sent = 0; sent < 500; sent++)
    await client.post(two, sealContent(self, conversationId, keys.latest, content, randomBytes));
  const message = /^Message not found: \d+ \(only the newest 500 events of a conversation are searched\)$/;
  await expect(ben.react(conversationId, seqId, '🎉', true)).rejects.toMatchObject({
    message: expect.stringMatching(message),
  });
  const page = await ben.messages(conversationId, 1, null);
  expect(page).toMatchObject({ messages: [], cursor: expect.any(String) });
  expect((await ben.messages(conversationId, 1, page.cursor)).messages).toMatchObject([{ text: 'Near' }]);
});

describe('public keys', () => {
  const names = ['public_key', 'signing_public_key', 'identity_public_key_signature'];
  const row = (version: number, more: object = {}) => ({
    ...Object.fromEntries(names.map((name) => [name, 'a'])),
    ...{ public_key_version: String(version), ...more },
  });

  test('of many users are read at once if the rows name their users', async () => {
    const data = [row(1, { user_id: '1' }), row(2, { user_id: '2' })];
    const { session, requests } = await fakeX({ '/2/users/public_keys': { body: { data } } });
    expect((await session().messages.publicKeys(['1', '2'])).map(({ userId }) => userId)).toEqual(['1', '2']);
    expect(requests).toHaveLength(1);
  });

  test('of one user are the newest 32', async () => {
    const data = Array.from({ length: 50 }, (_, at) => row(at));
    const { session } = await fakeX({ '/2/users/1/public_keys': { body: { data } } });
    const read = await session().messages.publicKeys(['1']);
    expect([read.length, read.at(-1)?.publicKeyVersion]).toEqual([32, '49']);
  });

  test.each([...names, 'public_key_version'])('with a %s that is too long are refused', async (name) => {
    const data = [row(1, { [name]: 'a'.repeat(129) })];
    const { session } = await fakeX({ '/2/users/1/public_keys': { body: { data } } });
    const refused = { reason: 'platform_unreadable' };
    await expect(session().messages.publicKeys(['1'])).rejects.toMatchObject(refused);
  });

  test('are none if X sends no rows', async () => {
    const { session } = await fakeX({ '/2/users/1/public_keys': { body: {} } });
    expect(await session().messages.publicKeys(['1'])).toEqual([]);
  });
});
