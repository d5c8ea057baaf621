import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Account, type Json, request } from './harness.ts';
import { kill, killAll, startChild } from './killable.ts';

const TIMEOUT_MS = 60_000;
const root = mkdtempSync(join(tmpdir(), 'sandbox-'));
afterEach(async () => {
  await killAll();
  rmSync(root, { recursive: true, force: true });
});

const sealed = (text: string) => ({
  message_id: randomUUID(),
  detail: Buffer.from(text).toString('base64'),
  signature: Buffer.from(`signed ${text}`).toString('base64'),
});

it(
  'kill -9 at any moment loses no message that was acknowledged, and doubles none that carried a token',
  async () => {
    const acknowledged = new Map<string, string>();
    const attempted: string[] = [];
    let anna: Account | undefined;
    let id = '';
    for (let round = 0; round < 3; round++) {
      const { child, url } = await startChild(root);
      if (anna === undefined) {
        const { accounts } = (await request(url, 'POST', '/control/accounts', { body: { count: 2 } })).body;
        [anna] = accounts as [Account];
        id = accounts
          .map(({ userId }: Account) => BigInt(userId))
          .sort((a: bigint, b: bigint) => (a < b ? -1 : 1))
          .join(':');
        const body = { ...sealed('key'), version: '1', previous_version: null };
        await request(url, 'POST', `/api/chat/conversations/${id}/keys`, { as: anna, body });
      }
      const as = anna;
      // The same wish is sealed anew each time, as a gateway does.
      const post = async (text: string): Promise<string> => {
        const headers = { 'idempotency-token': text };
        const body = { ...sealed(text), kind: 'message' };
        return (await request(url, 'POST', `/api/chat/conversations/${id}/events`, { as, body, headers })).body.event
          .seq_id;
      };
      for (const text of attempted.splice(0)) acknowledged.set(text, await post(text));
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
      await new Promise((resolve) => setTimeout(resolve, 150 + round * 80));
      await kill(child);
      await Promise.all(writers);
    }
    const { child, url } = await startChild(root);
    if (anna === undefined) throw new Error('nobody wrote');
    const kept: Json[] = [];
    for (let cursor = ''; ; ) {
      const path = `/api/chat/conversations/${id}/messages?count=100${cursor && `&cursor=${cursor}`}`;
      const { messages, next_cursor } = (await request(url, 'GET', path, { as: anna })).body;
      kept.push(...messages);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    const bySeqId = new Map(kept.map((each) => [each.seq_id, Buffer.from(each.detail, 'base64').toString()]));
    expect(acknowledged.size).toBeGreaterThan(10);
    for (const [text, seqId] of acknowledged) expect(bySeqId.get(seqId)).toBe(text);
    expect(new Set(bySeqId.values()).size).toBe(kept.length);
    await kill(child);
  },
  TIMEOUT_MS,
);
