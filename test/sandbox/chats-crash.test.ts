import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { conversationIdOf } from '../../src/messaging/encryption/index.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

const root = temporaryFolder();

const sealed = (text: string) => ({
  message_id: randomUUID(),
  detail: Buffer.from(text).toString('base64'),
  signature: Buffer.from(`signed ${text}`).toString('base64'),
});

test('kill -9 at any time loses no acknowledged message, and duplicates no message with a token', async () => {
  const acknowledged = new Map<string, string>();
  const attempted: string[] = [];
  let anna: Account | undefined;
  let id = '';
  for (let round = 0; round < repetitions(2, 3); round++) {
    const { child, url } = await startChild(root);
    if (anna === undefined) {
      const { accounts } = (await request(url, 'POST', '/control/accounts', { body: { count: 2 } })).body;
      const [one, other] = accounts as [Account, Account];
      anna = one;
      id = conversationIdOf(one.userId, other.userId);
      const body = { ...sealed('key'), version: '1', previous_version: null };
      await request(url, 'POST', `/sandbox/chat/conversations/${id}/keys`, { as: anna, body });
    }
    const as = anna;
    // The same message is encrypted again for each attempt, as a gateway does.
    const post = async (text: string): Promise<string> => {
      const headers = { 'idempotency-token': text };
      const body = { ...sealed(text), kind: 'message' };
      return (await request(url, 'POST', `/sandbox/chat/conversations/${id}/events`, { as, body, headers })).body.event
        .seq_id;
    };
    for (const text of attempted.splice(0)) acknowledged.set(text, await post(text));
    const before = acknowledged.size;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let number = 0; ; number++) {
        const text = `Round ${round}, writer ${writer}, number ${number}`;
        try {
          acknowledged.set(text, await post(text));
        } catch {
          attempted.push(text);
          return;
        }
      }
    });
    await expect.poll(() => acknowledged.size, { interval: 5 }).toBeGreaterThan(before + 5 + round * 10);
    await kill(child);
    await Promise.all(writers);
  }
  const { url } = await startChild(root);
  if (anna === undefined) throw new Error('nobody wrote');
  const kept: Json[] = [];
  for (let cursor = ''; ; ) {
    const path = `/sandbox/chat/conversations/${id}/messages?count=100${cursor && `&cursor=${cursor}`}`;
    const { messages, next_cursor } = (await request(url, 'GET', path, { as: anna })).body;
    kept.push(...messages);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  const bySeqId = new Map(kept.map((each) => [each.seq_id, Buffer.from(each.detail, 'base64').toString()]));
  expect(acknowledged.size).toBeGreaterThan(10);
  for (const [text, seqId] of acknowledged) expect(bySeqId.get(seqId)).toBe(text);
  expect(new Set(bySeqId.values()).size).toBe(kept.length);
});
