import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Chat, initSync } from '../../../node_modules/@xdevplatform/chat-xdk/pkg/chat_xdk_wasm.js';
import {
  type Content,
  ConversationKeys,
  conversationIdOf,
  exportChatKeys,
  fingerprintOf,
  importChatKeys,
  openEvent,
  Peers,
  placeEvent,
  type RegisteredKeys,
  registrationOf,
  type Self,
  type SignedEvent,
  sealContent,
  sealedSize,
  sealMedia,
  signDelete,
} from '../../../src/messaging/encryption/index.ts';
import { binaryField, stringField, struct, structField } from '../../../src/messaging/encryption/thrift-writer.ts';
import { openEvents, pair, person, registered } from './people.ts';
import { collect, inPieces } from './pieces.ts';

// The package does not export key import, because browsers must not have it, so the engine below is used.
initSync({
  module: readFileSync(
    new URL('../../../node_modules/@xdevplatform/chat-xdk/pkg/chat_xdk_wasm_bg.wasm', import.meta.url),
  ),
});

/** Creates the official SDK with the keys of `self`. */
function official(self: Self): Chat {
  const chat = new Chat();
  chat.importKeys(exportChatKeys(self.keys), self.publicKeyVersion);
  chat.setIdentity(self.userId, self.publicKeyVersion);
  return chat;
}

/** Returns the signing keys in the form that the SDK expects. */
function signingKeys(people: readonly RegisteredKeys[]) {
  return people.map((one) => ({
    userId: one.userId,
    publicKeyVersion: one.publicKeyVersion,
    publicKey: one.signingPublicKey,
    identityPublicKey: one.publicKey,
    identityPublicKeySignature: one.identityPublicKeySignature,
  }));
}

interface OfficialMessage {
  messageId: string;
  encryptedContent: string;
  encodedEventSignature: string;
}

interface OfficialAction {
  messageId: string;
  encodedMessageEventDetail: string;
  signature: string;
  signatureVersion: string;
  publicKeyVersion: string;
}

/** Converts an SDK message to a platform event. Its detail is a Thrift union, and field 1 of it is the SDK's message. */
function signedMessage(message: OfficialMessage, senderId: string, conversationId: string): SignedEvent {
  const detail = struct(structField(1, Buffer.from(message.encryptedContent, 'base64')));
  return {
    messageId: message.messageId,
    senderId,
    conversationId,
    detail: detail.toString('base64'),
    signature: message.encodedEventSignature,
  };
}

function signedAction(action: OfficialAction, senderId: string, conversationId: string): SignedEvent {
  const signature = struct(
    stringField(1, action.signature),
    stringField(2, action.publicKeyVersion),
    binaryField(3, Buffer.from(action.signatureVersion)),
  );
  return {
    messageId: action.messageId,
    senderId,
    conversationId,
    detail: action.encodedMessageEventDetail,
    signature: signature.toString('base64'),
  };
}

const placement = { sequenceId: '5001', createdAtMs: 1_790_000_000_000 };
const sticker = {
  mediaHashKey: 'a-hash',
  type: 6,
  filename: 'commas, are fine.svg',
  size: 99,
  width: 640,
  height: 480,
} as const;
const contents: Content[] = [
  { kind: 'message', text: '\u{feff}Grüße, 👋', attachments: [] },
  { kind: 'message', text: 'look', attachments: [sticker] },
  { kind: 'edit', targetSequenceId: '77', text: 'better' },
  { kind: 'reactionAdded', targetSequenceId: '77', emoji: '👍' },
  { kind: 'reactionRemoved', targetSequenceId: '77', emoji: '👍' },
];

test('keys can be converted to the form of the official SDK and back, with the same public keys and fingerprint', () => {
  const ada = person('111');
  const theirs = official(ada);
  expect(Buffer.from(theirs.exportKeys())).toEqual(Buffer.from(exportChatKeys(ada.keys)));
  expect(theirs.matchesRegisteredKey(registrationOf(ada.keys).publicKey)).toBe(true);
  expect(theirs.getPublicKeyFingerprint()).toBe(fingerprintOf(registrationOf(ada.keys).publicKey));
  expect(theirs.getPublicKeys().signing).toBe(Buffer.from(ada.keys.signing.publicKey).toString('base64'));
});

test('each side makes keys and bindings that the other accepts', () => {
  const { publicKey, signingPublicKey, identityPublicKeySignature } = registrationOf(person('111').keys);
  const chat = new Chat();
  expect(chat.verifyKeyBinding(publicKey, signingPublicKey, identityPublicKeySignature)).toBe(true);

  const { publicKey: made } = chat.generateKeypairs();
  const imported = importChatKeys(chat.exportKeys());
  expect(imported && registrationOf(imported)).toEqual({
    publicKey: made.publicKey,
    signingPublicKey: made.signingPublicKey,
    identityPublicKeySignature: made.identityPublicKeySignature,
    signingPublicKeySignature: made.signingPublicKeySignature,
  });
  expect(new Peers([{ userId: '9', publicKeyVersion: '1', ...made }]).find('9', '1').ok).toBe(true);
});

test('a key change of the official SDK establishes a conversation, under the same id and version', () => {
  const { ada, bo, peers } = pair();
  const change = official(ada).prepareConversationKeyChange({
    publicKeys: [registered(bo), registered(ada)].map((one) => ({ ...one, keyVersion: one.publicKeyVersion })),
  });
  expect(change.conversationId).toBe(conversationIdOf('222', '111'));
  const raw = placeEvent(signedAction(change.actionSignatures[0], '111', change.conversationId), placement);
  for (const self of [ada, bo]) {
    const keys = new ConversationKeys();
    const [opened] = openEvents([raw], { self, conversationId: change.conversationId, peers, keys });
    expect(opened).toMatchObject({ ok: true, value: { kind: 'keyChange', senderId: '111' } });
    expect(keys.latest).toEqual({ version: change.conversationKeyVersion, key: change.conversationKey });
  }
});

test('the official SDK verifies a key change of this module and reads its key', () => {
  const { ada, bo, established, key } = pair();
  const people = signingKeys([registered(ada), registered(bo)]);
  const { messages, conversationKeys, errors } = official(bo).decryptEvents(
    [placeEvent(established, placement)],
    people,
  );
  expect(errors).toEqual({});
  expect(messages[0].event).toMatchObject({ type: 'keyChange', senderId: '111', verified: true });
  expect(conversationKeys.latestVersion).toBe(key.version);
  expect(conversationKeys.keys[key.version]).toEqual(key.key);
});

const officialKinds = { message: 'text', edit: 'edit', reactionAdded: 'reaction', reactionRemoved: 'reactionRemoved' };

test.each(contents)('the official SDK opens and verifies an event of this module: $kind', (content) => {
  const { ada, bo, conversationId, key } = pair();
  const raw = placeEvent(sealContent(ada, conversationId, key, content, randomBytes), placement);
  const people = signingKeys([registered(ada), registered(bo)]);
  const event = official(bo).decryptEvent(raw, { [key.version]: key.key }, people);
  expect(event).toMatchObject({
    type: 'message',
    verified: true,
    senderId: '111',
    conversationId,
    sequenceId: '5001',
    content: { content_type: officialKinds[content.kind] },
  });
  const { content: theirs } = event;
  if (content.kind === 'message') {
    expect(theirs.text).toBe(content.text);
    const [attachment] = content.attachments;
    if (attachment !== undefined) {
      expect(event.attachments[0]).toMatchObject({
        attachment_type: 'media',
        mediaHashKey: 'a-hash',
        mediaType: 'svg',
        filename: 'commas, are fine.svg',
        filesizeBytes: 99,
        dimensions: { width: 640, height: 480 },
      });
    }
  } else {
    expect(theirs.target_message_id).toBe(content.targetSequenceId);
    expect(theirs.new_text ?? theirs.emoji).toBe(content.kind === 'edit' ? content.text : content.emoji);
  }
});

test.each(contents)('an event of the official SDK is opened and its signature verified: $kind', (content) => {
  const { ada, bo, conversationId, key, reader } = pair();
  const common = { conversationId, conversationKey: key.key, conversationKeyVersion: key.version };
  const sealed = sealOfficially(official(ada), common, content);
  const opened = openEvent(placeEvent(signedMessage(sealed, '111', conversationId), placement), reader(bo));
  expect(opened).toEqual({
    ok: true,
    value: { ...content, ...placement, messageId: sealed.messageId, senderId: '111', conversationId },
  });
});

function sealOfficially(chat: Chat, common: object, content: Content) {
  switch (content.kind) {
    case 'message': {
      const attachments = content.attachments.map(({ mediaHashKey, type, filename, size, width = 0, height = 0 }) => ({
        attachment_type: 'media',
        media_hash_key: mediaHashKey,
        media_type: type,
        filename,
        filesize_bytes: size,
        width,
        height,
      }));
      return chat.encryptMessage({ ...common, text: content.text, ...(attachments.length > 0 ? { attachments } : {}) });
    }
    case 'edit':
      return chat.encryptEdit({
        ...common,
        targetMessageSequenceId: content.targetSequenceId,
        updatedText: content.text,
      });
    case 'reactionAdded':
    case 'reactionRemoved': {
      const params = { ...common, targetMessageSequenceId: content.targetSequenceId, emoji: content.emoji };
      return content.kind === 'reactionAdded' ? chat.encryptAddReaction(params) : chat.encryptRemoveReaction(params);
    }
  }
}

test.each([true, false])('deletions are verified on both sides (for all: %s)', (forAll) => {
  const { ada, bo, conversationId, reader } = pair();
  const sequenceIds = ['41', '42'];
  const ours = placeEvent(signDelete(ada, conversationId, { sequenceIds, forAll }, randomBytes), placement);
  const people = signingKeys([registered(ada), registered(bo)]);
  expect(official(bo).decryptEvent(ours, {}, people)).toMatchObject({ type: 'messageDeleted', verified: true });

  const theirs = official(ada).prepareMessageDelete({ conversationId, sequenceIds, deleteForAll: forAll });
  expect(openEvent(placeEvent(signedAction(theirs, '111', conversationId), placement), reader(bo))).toMatchObject({
    ok: true,
    value: { kind: 'delete', sequenceIds, forAll },
  });
});

test.each([1, 1_023, 1_024, 1_025, 2_048, 3_333, 100_000])(
  'media of %i bytes is read by the official SDK',
  async (size) => {
    const { ada, key } = pair();
    const chat = official(ada);
    const file = randomBytes(size);
    const sealed = await collect(sealMedia(inPieces(file), key.key, randomBytes));
    expect(sealed).toHaveLength(sealedSize(size));
    expect(Buffer.from(chat.decryptStream(sealed, key.key)).equals(file)).toBe(true);
  },
);
