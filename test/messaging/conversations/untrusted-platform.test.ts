import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/messaging/conversations/actor.ts';
import { ConversationHistory } from '../../../src/messaging/conversations/conversation-history.ts';
import { KnownConversations } from '../../../src/messaging/conversations/known-conversations.ts';
import { OpenConversation } from '../../../src/messaging/conversations/open-conversation.ts';
import { encodeDetail } from '../../../src/messaging/encryption/detail.ts';
import { toBase64 } from '../../../src/messaging/encryption/encoding.ts';
import { type Content, placeEvent, type SignedEvent, sealContent } from '../../../src/messaging/encryption/index.ts';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import type { PlatformMessages } from '../../../src/platform/messages-port.ts';
import type { PlacedEvent } from '../../../src/shared/model/sealed-event.ts';
import { mainThreadMs } from '../../support/processor-time.ts';
import { pair } from '../encryption/people.ts';

const { ada, conversationId, peers, established, key } = pair();
const recovered = new RecoveredKeys(ada.userId, randomBytes(64));
const actor = { self: ada, recovered, known: new KnownConversations() } as unknown as Actor;

const placed = (event: SignedEvent, at: number): PlacedEvent => {
  const createdAt = '2026-11-21T10:00:00.000Z';
  const encoded = placeEvent(event, { sequenceId: String(at), createdAtMs: Date.parse(createdAt) });
  return { seqId: String(at), senderId: event.senderId, conversationId, createdAt, encoded };
};

/** A detail with the largest number of key copies that the decoder accepts. */
const copy = { userId: '1', publicKeyVersion: '1', wrapped: new Uint8Array(3) };
const detail = toBase64(encodeDetail({ kind: 'keyChange', keyVersion: '1', copies: Array(240).fill(copy) }));
const keyChanges = Array.from({ length: 100 }, (_, at) => placed({ ...established, detail, messageId: `m${at}` }, at));

/** Returns the longest processor time in milliseconds between two turns of the event loop while `work` runs. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = mainThreadMs();
    await nextTurn();
    longest = Math.max(longest, mainThreadMs() - before);
  }
  await over;
  return longest;
}

describe('a conversation of an untrusted platform', () => {
  test('with 100 large key changes is opened in many turns of the event loop', async () => {
    const encoded = keyChanges.map((change) => change.encoded);
    const open = () => OpenConversation.of(conversationId, actor, peers, encoded);
    expect(await longestTurn(open)).toBeLessThan(100);
  });

  test('has messages with 90 large edits that are read in many turns of the event loop', async () => {
    const say = (content: Content, at: number) =>
      placed(sealContent(ada, conversationId, key, content, randomBytes), at);
    const edit = { kind: 'edit', targetSequenceId: '1', text: 'x'.repeat(60_000) } as const;
    const items = [say({ kind: 'message', text: 'a loom', attachments: [] }, 1)];
    for (let at = 2; at < 92; at++) items.unshift(say(edit, at));
    const keyChange = placed(established, 0).encoded;
    const messages = { events: async () => ({ items, keyChanges: [keyChange], cursor: null }) };
    const read = async () => {
      const open = new OpenConversation(conversationId, actor, peers);
      const parts = { actor, nowMs: 0, messages: messages as unknown as PlatformMessages };
      return (await new ConversationHistory(open, parts).page(1, null)).messages;
    };
    expect(await read()).toMatchObject([{ edited: true, text: edit.text }]);
    expect(await longestTurn(read)).toBeLessThan(100);
  });
});
