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

const say = (content: Content, at: number) => placed(sealContent(ada, conversationId, key, content, randomBytes), at);

/** Returns the history of a conversation with these events, newest first. */
function historyOf(items: readonly PlacedEvent[], events = pagesOf(items)): ConversationHistory {
  const messages = { events } as unknown as PlatformMessages;
  return new ConversationHistory(new OpenConversation(conversationId, actor, peers), { actor, nowMs: 0, messages });
}

function pagesOf(items: readonly PlacedEvent[]) {
  return async (_id: string, { count, cursor }: { count: number; cursor: string | null }) => {
    const end = Number(cursor) + count;
    const page = { items: items.slice(Number(cursor), end), keyChanges: [placed(established, 0).encoded] };
    return { ...page, cursor: end < items.length ? String(end) : null };
  };
}

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
    const edit = { kind: 'edit', targetSequenceId: '1', text: 'x'.repeat(60_000) } as const;
    const items = [say({ kind: 'message', text: 'a loom', attachments: [] }, 1)];
    for (let at = 2; at < 92; at++) items.unshift(say(edit, at));
    const read = async () => (await historyOf(items).page(1, null)).messages;
    expect(await read()).toMatchObject([{ edited: true, text: edit.text }]);
    expect(await longestTurn(read)).toBeLessThan(100);
  });

  test('does not show key changes that do not open as messages', async () => {
    const message = say({ kind: 'message', text: 'a loom', attachments: [] }, 200);
    const { messages } = await historyOf([message, ...keyChanges]).page(5, null);
    expect(messages).toMatchObject([{ text: 'a loom', undecryptable: null }]);
  });

  test('keeps the newest edit of a message when more than 500 changes come before its page', async () => {
    const message = (at: number) => say({ kind: 'message', text: 'a loom', attachments: [] }, at);
    const edit = (at: number, targetSequenceId: string, text: string) =>
      say({ kind: 'edit', targetSequenceId, text }, at);
    const reworded = Array.from({ length: 520 }, (_, at) => edit(600 - at, '2', 'reworded'));
    const items = [edit(700, '1', 'the newest text'), ...reworded, message(2), message(1)];
    const read: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await historyOf(items).page(1, cursor ?? null);
      read.push(...page.messages);
      cursor = page.cursor;
    }
    expect(read).toMatchObject([
      { seq_id: '2', text: 'reworded' },
      { seq_id: '1', text: 'the newest text' },
    ]);
  });

  test('is asked for at most 25 pages if they are empty and have a cursor', async () => {
    let pages = 0;
    const endless = async () => ({ items: [], keyChanges: [], cursor: String(++pages) });
    const { messages, cursor } = await historyOf([], endless).page(5, null);
    expect({ messages, pages, hasMore: cursor !== null }).toEqual({ messages: [], pages: 25, hasMore: true });
    await expect(historyOf([], endless).find('7')).rejects.toMatchObject({ code: 'not_found' });
    expect(pages).toBe(50);
  });
});

describe('KnownConversations', () => {
  const unused = {} as PlatformMessages;

  test('keeps the newest 100 key changes when a page of older events brings older ones', async () => {
    const known = new KnownConversations();
    const newest = Array.from({ length: 100 }, (_, at) => `new ${at}`);
    known.keepKeyChanges('1:2', newest, 0);
    expect(known.keepKeyChanges('1:2', ['old', ...newest], 0, false)).toEqual(newest);
  });

  test('reads the newest key changes after 5 minutes, also if older events were read in between', async () => {
    const known = new KnownConversations();
    known.keepKeyChanges('1:2', ['first'], 0);
    known.keepKeyChanges('1:2', ['first'], 290_000, false);
    expect(await known.keyChangesOf('1:2', unused, 299_999)).toEqual(['first']);
    const events = async () => ({ items: [], keyChanges: ['first', 'second'], cursor: null });
    expect(await known.keyChangesOf('1:2', { events } as unknown as PlatformMessages, 300_001)).toEqual([
      'first',
      'second',
    ]);
  });
});
