import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ChatEvent,
  inspectEvent,
  mayAct,
  sealContent,
  signDelete,
} from '../../../src/messaging/encryption/index.ts';
import { pair } from './people.ts';

const { ada, bo, conversationId, peers, key, established } = pair();
const text = 'a canary that nobody but the two may read';
const sent = sealContent(ada, conversationId, key, { kind: 'message', text, attachments: [] }, randomBytes);
const deletion = signDelete(ada, conversationId, { sequenceIds: ['41'], forAll: true }, randomBytes);

describe('the platform', () => {
  test('can read the fields that it needs and verify their signature', () => {
    expect(inspectEvent(sent, peers)).toEqual({ ok: true, value: { kind: 'content', keyVersion: key.version } });
    expect(inspectEvent(deletion, peers)).toMatchObject({ ok: true, value: { kind: 'delete', sequenceIds: ['41'] } });
    expect(inspectEvent(established, peers)).toMatchObject({
      ok: true,
      value: { kind: 'keyChange', keyVersion: key.version, copies: [{ userId: '111' }, { userId: '222' }] },
    });
  });

  test('refuses unsigned fields and bytes that are not an event', () => {
    const refusal = (reason: string) => ({ ok: false, reason });
    expect(inspectEvent({ ...sent, senderId: bo.userId }, peers)).toEqual(refusal('bad_signature'));
    expect(inspectEvent({ ...sent, senderId: '333' }, peers)).toEqual(refusal('unknown_sender'));
    expect(inspectEvent({ ...sent, detail: 'AA==' }, peers)).toEqual(refusal('corrupt'));
    expect(inspectEvent({ ...sent, signature: '' }, peers)).toEqual(refusal('corrupt'));
  });

  test('never receives a text or a key in plain text', () => {
    const all = [sent, deletion, established].map((event) =>
      Buffer.concat([Buffer.from(event.detail, 'base64'), Buffer.from(event.signature, 'base64')]).toString('latin1'),
    );
    for (const secret of [
      text,
      ...[key.key, ada.keys.identity.privateKey, ada.keys.signing.privateKey].flatMap(spellings),
    ]) {
      expect(all.join()).not.toContain(secret);
    }
  });
});

/** Returns the encodings in which a key may appear in Latin-1 text. */
function spellings(secret: Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  return [bytes.toString('latin1'), bytes.toString('hex'), bytes.toString('base64').slice(0, 42)];
}

describe('the changes that an opened event may make to a message', () => {
  const envelope = { messageId: 'm', conversationId, sequenceId: '2', createdAtMs: 0 };
  const byAda = { ...envelope, senderId: ada.userId };
  const edit: ChatEvent = { ...byAda, kind: 'edit', targetSequenceId: '1', text: '' };
  const deleteForAll: ChatEvent = { ...byAda, kind: 'delete', sequenceIds: ['1'], forAll: true };
  const deleteForSelf: ChatEvent = { ...deleteForAll, forAll: false };
  const reaction: ChatEvent = { ...byAda, kind: 'reactionAdded', targetSequenceId: '1', emoji: '👍' };
  const own = { senderId: ada.userId };
  const others = { senderId: bo.userId };

  test('edits and deletions for all are for its author', () => {
    for (const event of [edit, deleteForAll]) {
      expect(mayAct(event, own, bo.userId)).toBe(true);
      expect(mayAct(event, others, bo.userId)).toBe(false);
    }
  });

  test('a deletion for oneself affects only the own view, also of messages by the other participant', () => {
    expect(mayAct(deleteForSelf, others, ada.userId)).toBe(true);
    expect(mayAct(deleteForSelf, own, bo.userId)).toBe(false);
  });

  test('reactions are allowed for both participants', () => {
    expect(mayAct(reaction, others, bo.userId)).toBe(true);
  });
});
