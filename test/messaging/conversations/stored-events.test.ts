import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DirectMessages } from '../../../src/messaging/conversations/direct-messages.ts';
import { EventOpener } from '../../../src/messaging/conversations/event-opener.ts';
import { KnownConversations } from '../../../src/messaging/conversations/known-conversations.ts';
import { placeEvent, type SignedEvent, sealContent } from '../../../src/messaging/encryption/index.ts';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import type { Platform } from '../../../src/platform/port.ts';
import type { MessageEvent } from '../../../src/shared/model/event.ts';
import { pair, registered } from '../encryption/people.ts';

const { ada, bo, conversationId, key, established } = pair();
const createdAt = '2026-11-21T10:00:00.000Z';
const placeOf = (sequenceId: string) => ({ sequenceId, createdAtMs: Date.parse(createdAt) });

let changes: string[] = [];
const messages = {
  publicKeys: async () => [registered(ada), registered(bo)],
  events: async () => ({ items: [], keyChanges: changes, cursor: null }),
};
const known = new KnownConversations();
const recovered = new RecoveredKeys(ada.userId, randomBytes(64));
const actor = { self: ada, recovered, known, wipe: () => {} };
const opener = new EventOpener({
  directMessages: { actor: async () => actor, now: () => 0 } as unknown as DirectMessages,
  platform: { as: () => ({ messages }) } as unknown as Platform,
  readProxy: () => null,
});
const opening = { account: 'a', credentials: { authToken: 't', proxy: null }, code: '1' };

function event(signed: SignedEvent, seqId: string, message: object): MessageEvent {
  const { senderId } = signed;
  const by = { id: senderId, userName: 'bo', name: 'Bo' };
  const placed = { seqId, senderId, conversationId, createdAt, ...message };
  const stored = { id: seqId, type: 'message.received', createdAt, actor: by, tweet: null, fromMe: false };
  return { ...stored, message: placed } as unknown as MessageEvent;
}

test('messages that an earlier release has stored are opened, with the type of their content', async () => {
  changes = [placeEvent(established, placeOf('1'))];
  const said = sealContent(bo, conversationId, key, { kind: 'message', text: 'a loom', attachments: [] }, randomBytes);
  const edit = sealContent(bo, conversationId, key, { kind: 'edit', targetSequenceId: '2', text: 'b' }, randomBytes);
  const gone = sealContent(bo, conversationId, key, { kind: 'message', text: '', attachments: [] }, randomBytes);
  const old = (signed: SignedEvent, seqId: string, sealed: SignedEvent | null = signed) =>
    event(signed, seqId, { kind: 'message', messageId: signed.messageId, targetSeqId: null, sealed });
  const opened = await opener.open(opening, [old(said, '2'), old(edit, '3'), old(gone, '4', null)]);
  expect(opened).toMatchObject([
    { type: 'message.received', text: 'a loom', messageId: said.messageId },
    { type: 'message.edited', text: 'b', targetSeqIds: ['2'] },
    { type: 'message.received', undecryptable: 'deleted', messageId: gone.messageId },
  ]);
});

test('a message of a key that is newer than the cached ones is opened, and its repetition is ignored', async () => {
  known.forget(conversationId);
  changes = [];
  const said = sealContent(bo, conversationId, key, { kind: 'message', text: 'new', attachments: [] }, randomBytes);
  const placed = (seqId: string) => event(said, seqId, { encoded: placeEvent(said, placeOf(seqId)) });
  expect(await opener.open(opening, [placed('5')])).toMatchObject([{ undecryptable: 'no_key' }]);
  changes = [placeEvent(established, placeOf('1'))];
  expect(await opener.open(opening, [placed('5'), placed('6')])).toMatchObject([{ text: 'new' }, null]);
});
