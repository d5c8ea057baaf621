import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/messaging/conversations/actor.ts';
import { KnownConversations } from '../../../src/messaging/conversations/known-conversations.ts';
import { OpenConversation } from '../../../src/messaging/conversations/open-conversation.ts';
import { readMessage } from '../../../src/messaging/conversations/read-message.ts';
import { encodeDetail } from '../../../src/messaging/encryption/detail.ts';
import { toBase64 } from '../../../src/messaging/encryption/encoding.ts';
import { sealContent } from '../../../src/messaging/encryption/index.ts';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import { mainThreadMs } from '../../support/processor-time.ts';
import { pair } from '../encryption/people.ts';

const { ada, conversationId, peers, established, key } = pair();
const recovered = new RecoveredKeys(ada.userId, randomBytes(64));
const actor = { self: ada, recovered, known: new KnownConversations() } as unknown as Actor;

/** A detail with the largest number of key copies that the decoder accepts. */
const copy = { userId: '1', publicKeyVersion: '1', wrapped: new Uint8Array(3) };
const detail = toBase64(encodeDetail({ kind: 'keyChange', keyVersion: '1', copies: Array(240).fill(copy) }));
const placed = Array.from({ length: 100 }, (_, at) => ({
  ...{ seqId: String(at), createdAt: '2026-11-21T10:00:00.000Z', conversationId, senderId: ada.userId },
  ...{ messageId: `m${at}`, version: '1', sealed: { ...established, detail } },
}));
const keyChanges = placed.map((each) => ({ ...each, kind: 'key_change' as const, targetSeqId: null }));
const edit = { kind: 'edit', targetSequenceId: '1', text: 'x'.repeat(60_000) } as const;
const about = placed.map((each) => ({
  ...each,
  ...{ kind: 'edit' as const, targetSeqId: '1' },
  sealed: sealContent(ada, conversationId, key, edit, randomBytes),
}));

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

/** Opens Ada's conversation as she. */
const open = (changes: typeof keyChanges) => OpenConversation.of(conversationId, actor, peers, changes);

describe('a conversation of an untrusted platform', () => {
  test('with 100 large key changes is opened in many turns of the event loop', async () => {
    expect(await longestTurn(() => open(keyChanges))).toBeLessThan(100);
  });

  test('has messages with 100 large edits that are read in many turns of the event loop', async () => {
    const change = { sealed: established, version: key.version };
    const conversation = await open(keyChanges.slice(0, 1).map((each) => ({ ...each, ...change })));
    const content = { kind: 'message', text: 'a loom', attachments: [] } as const;
    const sealed = sealContent(ada, conversationId, key, content, randomBytes);
    const messages = placed.slice(0, 1).map((each) => ({ ...each, sealed, kind: 'message' as const }));
    for (const message of messages) {
      const read = () => readMessage(conversation, { ...message, targetSeqId: null, deleted: null, about }, ada.userId);
      expect((await read()).edited).toBe(true);
      expect(await longestTurn(read)).toBeLessThan(100);
    }
  });
});
