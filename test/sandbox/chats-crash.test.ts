import { expect, test } from 'vitest';
import { openEvent } from '../../src/messaging/encryption/index.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ChatClient, seqIdOf } from './chat-client.ts';
import { type Account, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

const root = temporaryFolder();

test('kill -9 at any time loses no acknowledged message, and duplicates no message with a token', async () => {
  const acknowledged = new Map<string, string>();
  const attempted: string[] = [];
  let accounts: [Account, Account] | undefined;
  for (let round = 0; round < repetitions(2, 3); round++) {
    const { child, url } = await startChild(root);
    const isFirst = accounts === undefined;
    accounts ??= (await request(url, 'POST', '/control/accounts', { body: { count: 2 } })).body.accounts as [
      Account,
      Account,
    ];
    const [one, other] = accounts;
    const anna = new ChatClient(url, one, 'minted:0');
    if (isFirst) await anna.begin(other);
    // The same message is encrypted again for each attempt, as a gateway does.
    const post = async (text: string) => seqIdOf(await anna.say(other, text, { 'idempotency-token': text }));
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
  if (accounts === undefined) throw new Error('nobody wrote');
  const [one, other] = accounts;
  const anna = new ChatClient(url, one, 'minted:0');
  const reader = await anna.reader(other);
  const bySeqId = new Map<string, string>();
  for (let token = ''; ; ) {
    const { data, meta } = (await anna.events(other, `?max_results=100${token && `&pagination_token=${token}`}`)).body;
    for (const { id, encoded_event } of data) {
      const opened = openEvent(encoded_event, reader);
      bySeqId.set(id, opened.ok && opened.value.kind === 'message' ? opened.value.text : '');
    }
    token = meta.next_token ?? '';
    if (token === '') break;
  }
  expect(acknowledged.size).toBeGreaterThan(10);
  for (const [text, seqId] of acknowledged) expect(bySeqId.get(seqId)).toBe(text);
  expect(new Set(bySeqId.values()).size).toBe(bySeqId.size);
});
