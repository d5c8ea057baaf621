import { createChat } from '@xdevplatform/chat-xdk';
import { describe, expect, test } from 'vitest';
import { gif, mp4, png } from '../../media/pictures.ts';
import { atEnd } from '../../support/at-end.ts';
import { startCheckedX } from '../../support/checked-x.ts';
import { Client } from '../../support/client.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { dataOf, Writer } from './fixture.ts';

/*
 * X's own client and Postern on both sides of a conversation. Postern uses the adapter for X, whose requests and answers are checked against
 * X's document.
 */

// biome-ignore lint/suspicious/noExplicitAny: the answers of the platform are read as X's client reads them
type Json = any;

const {
  service: { demo },
} = await useService();
const checked = await startCheckedX(demo.sandboxUrl);
atEnd(() => checked.stop());
const service = await startService({ PLATFORM_KIND: 'x', PLATFORM_URL: checked.url, RATE_LIMIT: '0' }, { demo });
atEnd(() => service.stop());
const { key } = await service.makeAccount('10');
const client = new Client({ baseUrl: `${service.origin}/v1`, key, authToken: '' });
const sandbox = new SandboxControl(demo.sandboxUrl);
const code = '739104';
const mint = async () => ({ ...(await sandbox.mint({ chatKeys: false })), encryptionCode: code });
/** `theirs` uses X's client, `ours` uses Postern. */
const [theirs, ours] = [await mint(), await mint()];
const writer = new Writer(ours, client);

/** Sends a request to X's API as the user of X's client. */
async function call(path: string, body?: object, { authToken } = theirs): Promise<Json> {
  const response = await fetch(`${demo.sandboxUrl}/2/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${authToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Writes the names of an object as X's API does. */
function snake(of: object): Json {
  const named = Object.entries(of).map(([name, value]) => [
    name.replace(/[A-Z]/g, (at) => `_${at.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(named);
}

const tokens = new Map<string, string>();
function configText(config: Json): string {
  for (const { key: realm, value } of config.token_map) tokens.set(realm, value.token);
  return JSON.stringify(config);
}

// The Juicebox SDK can be loaded once in a process, so one instance acts for both users.
const juiceboxConfig = configText(
  (await call(`users/${demo.accounts[0].userId}/public_keys`, undefined, demo.accounts[0])).data[0].juicebox_config,
);
const chat = await createChat({ juiceboxConfig, getAuthToken: async (realm) => tokens.get(realm) ?? '' });

const made = chat.generateKeypairs();
const registered = await call(`users/${theirs.userId}/public_keys`, {
  public_key: snake(made.publicKey),
  version: made.version ?? '1',
  generate_version: made.generateVersion,
});
chat.updateConfig(configText(registered.data.juicebox_config));
await chat.setup(code);
dataOf(await writer.post('/dm/enroll', {}));

describe('a conversation', async () => {
  const rows: Json[] = [];
  for (const { userId } of [theirs, ours])
    for (const row of (await call(`users/${userId}/public_keys`)).data) rows.push({ userId, ...row });
  const signingKeys = rows.map((row) => ({
    userId: row.userId,
    publicKeyVersion: row.public_key_version,
    publicKey: row.signing_public_key,
    identityPublicKey: row.public_key,
    identityPublicKeySignature: row.identity_public_key_signature,
  }));
  chat.setIdentity(theirs.userId, registered.data.public_key_version);
  const change = chat.prepareConversationKeyChange({
    publicKeys: rows.map((row) => ({
      userId: row.userId,
      publicKey: row.public_key,
      keyVersion: row.public_key_version,
    })),
  });
  const { conversationId, conversationKey, conversationKeyVersion } = change;
  const withKey = { conversationId, conversationKey, conversationKeyVersion };
  const path = `chat/conversations/${conversationId.replace(':', '-')}`;
  const actionOf = ({
    messageId,
    encodedMessageEventDetail,
    ...signature
  }: (typeof change.actionSignatures)[number]) => ({
    message_id: messageId,
    encoded_message_event_detail: encodedMessageEventDetail,
    message_event_signature: {
      signature: signature.signature,
      public_key_version: signature.publicKeyVersion,
      signature_version: signature.signatureVersion,
    },
  });
  await call(`${path}/keys`, {
    conversation_key_version: conversationKeyVersion,
    conversation_participant_keys: change.participantKeys.map((each) => ({
      user_id: each.userId,
      encrypted_conversation_key: each.encryptedKey,
      public_key_version: each.publicKeyVersion,
    })),
    action_signatures: change.actionSignatures.map(actionOf),
  });

  /** Sends an event of X's client. Returns the event as it was placed. */
  const send = async (payload: ReturnType<typeof chat.encryptMessage>): Promise<string> => {
    const sent = await call(`${path}/messages`, {
      message_id: payload.messageId,
      encoded_message_create_event: payload.encryptedContent,
      encoded_message_event_signature: payload.encodedEventSignature,
    });
    return sent.data.encoded_message_event;
  };
  /** Returns the newest event as X's client decrypts it. */
  const newest = async () => {
    const { data, meta } = await call(`${path}/events?max_results=1`);
    const [{ encoded_event: event }] = data;
    const { keys } = chat.extractConversationKeys(meta.conversation_key_events);
    return { event, read: chat.decryptEvent(event, keys, signingKeys) };
  };
  const read = async () => (await writer.reads(conversationId, { count: '1' }))[0];

  test("has the texts, edits, reactions and deletions of X's client", async () => {
    const event = await send(chat.encryptMessage({ ...withKey, text: 'Grüße, 👋' }));
    expect(await read()).toMatchObject({ text: 'Grüße, 👋', from_me: false, undecryptable: null });
    await send(chat.encryptEdit({ ...withKey, updatedText: 'Better', targetEvent: event }));
    expect(await read()).toMatchObject({ text: 'Better', edited: true });
    await send(chat.encryptAddReaction({ ...withKey, emoji: '👍', targetEvent: event }));
    expect(await read()).toMatchObject({ reactions: [{ emoji: '👍', from_me: false }] });
    await send(chat.encryptRemoveReaction({ ...withKey, emoji: '👍', targetEvent: event }));
    const message = await read();
    expect(message).toMatchObject({ reactions: [] });
    const sequenceIds = [String(message?.seq_id)];
    const deletion = chat.prepareMessageDelete({ conversationId, sequenceIds, deleteForAll: true });
    await call(`${path}/messages/delete`, {
      sequence_ids: sequenceIds,
      delete_message_action: 'delete_for_all',
      action_signatures: [actionOf(deletion)],
    });
    expect(await read()).toMatchObject({ deleted: true, text: '', undecryptable: null });
  });

  test('has the texts, edits, reactions and deletions of Postern', async () => {
    const { seq_id } = await writer.sends(conversationId, 'Hello from Postern');
    const message = { conversation_id: conversationId, seq_id };
    const sees = async (content: object) =>
      expect((await newest()).read).toMatchObject({ type: 'message', verified: true, senderId: ours.userId, content });
    await sees({ content_type: 'text', text: 'Hello from Postern' });
    dataOf(await writer.post('/dm/edit', { ...message, text: 'Mended' }));
    await sees({ content_type: 'edit', new_text: 'Mended', target_message_id: seq_id });
    dataOf(await writer.post('/dm/react', { ...message, emoji: '❤️' }));
    await sees({ content_type: 'reaction', emoji: '❤️', target_message_id: seq_id });
    dataOf(await writer.post('/dm/unreact', { ...message, emoji: '❤️' }));
    await sees({ content_type: 'reactionRemoved', emoji: '❤️' });
    dataOf(await writer.post('/dm/delete', message));
    expect((await newest()).read).toMatchObject({ type: 'messageDeleted', senderId: ours.userId });
  });

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="5"></svg>');
  /** Four silent frames of MP3. */
  const audio = Buffer.concat(Array.from({ length: 4 }, () => Buffer.from(`fffb9000${'00'.repeat(413)}`, 'hex')));
  test.each([
    [1, 'a.png', png()],
    [2, 'a.gif', gif],
    [3, 'a.mp4', mp4({ bytes: 4 * 1024 * 1024 })],
    [4, 'a.mp3', audio],
    [5, 'a.txt', Buffer.from('Plain words')],
    [6, 'a.svg', svg],
  ])('has attachments of type %i in both directions', async (type, filename, bytes) => {
    const image_base64 = bytes.toString('base64');
    const data = dataOf(
      await writer.post('/dm/send_media', { conversation_id: conversationId, type, filename, image_base64 }),
    );
    const { attachments } = (await newest()).read;
    expect(attachments).toMatchObject([{ mediaHashKey: data['media_hash_key'], filename }]);
    const headers = { authorization: `Bearer ${theirs.authToken}` };
    const url = `${demo.sandboxUrl}/2/chat/media/${conversationId.replace(':', '-')}/${data['media_hash_key']}`;
    const sealed = new Uint8Array(await (await fetch(url, { headers })).arrayBuffer());
    expect(Buffer.from(chat.decryptStream(sealed, conversationKey)).equals(bytes)).toBe(true);

    const encrypted = chat.encryptStream(bytes, conversationKey);
    const upload = 'chat/media/upload';
    const about = { conversation_id: conversationId };
    const { session_id, media_hash_key } = (
      await call(`${upload}/initialize`, { ...about, total_bytes: encrypted.length })
    ).data;
    const file = { ...about, media_hash_key };
    const part = 512 * 1024;
    const parts = Math.ceil(encrypted.length / part);
    for (let index = 0; index < parts; index++) {
      const media = Buffer.from(encrypted.subarray(index * part, (index + 1) * part)).toString('base64');
      await call(`${upload}/${session_id}/append`, { ...file, segment_index: index, media });
    }
    await call(`${upload}/${session_id}/finalize`, { ...file, num_parts: String(parts) });
    const described = { media_hash_key, width: 4, height: 5, filesize_bytes: bytes.length, filename, media_type: type };
    const attachment = { attachment_type: 'media' as const, ...described };
    await send(chat.encryptMessage({ ...withKey, text: 'Look', attachments: [attachment] }));
    expect(await read()).toMatchObject({
      text: 'Look',
      attachment: { media_hash_key, type, filename, size: bytes.length, width: 4, height: 5 },
    });
  });
});

describe('keys', () => {
  test("that X's client has stored are recovered by Postern, and wrong codes count for both", async () => {
    const own = new Writer(theirs, client);
    const wrong = { 'x-encryption-code': '850217' };
    expect((await own.get('/dm/list', {}, wrong)).body.error).toBe('Wrong encryption_code: 19 guesses remaining');
    await expect(chat.unlock('850217')).rejects.toThrow(/18/);
    dataOf(await own.get('/dm/list'));
  });

  test("that Postern has stored are recovered by X's client, and those of the seed", async () => {
    for (const account of [demo.accounts[0], ours]) {
      const [row] = (await call(`users/${account.userId}/public_keys`, undefined, account)).data;
      chat.updateConfig(configText(row.juicebox_config));
      await chat.unlock(account.encryptionCode);
      expect(chat.matchesRegisteredKey(row.public_key)).toBe(true);
    }
  });
});
