import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { ChatClient } from './chat-client.ts';
import { type Json, openSandbox } from './harness.ts';

const dataDir = temporaryFolder();
const sandbox = await openSandbox({ dataDir, activity: true });
const ada = new ChatClient(sandbox.url, sandbox.ada);
const grace = new ChatClient(sandbox.url, sandbox.grace);

describe("the seed's conversations", () => {
  test('exist for ada and grace, including one between the two and message requests', async () => {
    const { data, meta } = (await ada.call('chat/conversations?expansions=participant_ids')).body;
    expect(data.length).toBeGreaterThanOrEqual(4);
    expect(meta.has_message_requests).toBe(true);
    const participants = data.map((each: Json) => each.participant_ids);
    expect(participants).toContainEqual(expect.arrayContaining([sandbox.ada.userId, sandbox.grace.userId]));
    expect((await grace.call('chat/conversations')).body.meta.has_message_requests).toBe(true);
  });

  test('can be decrypted by both participants, with the same texts', async () => {
    const opened = await ada.reads(sandbox.grace);
    expect(opened.filter((each) => !each.ok && each.reason !== 'deleted')).toEqual([]);
    expect(opened.length).toBeGreaterThan(8);
    expect(await grace.reads(sandbox.ada)).toEqual(opened);
  });

  test('are the same in every run', async () => {
    const again = await openSandbox({ dataDir: null, now: () => Date.parse('2026-11-01T00:00:00Z') });
    const other = await openSandbox({ dataDir: null, now: () => Date.parse('2026-11-01T00:00:30Z') });
    const path = `/2/chat/conversations/${again.grace.userId}/events`;
    expect((await again.x(path)).body.data).toEqual((await other.x(path)).body.data);
  });
});

describe('sandbox users', () => {
  test('answer messages, encrypted for the participants only', async () => {
    const { data } = (await ada.call('chat/conversations?expansions=participant_ids')).body;
    const demo = [sandbox.ada, sandbox.grace, sandbox.linus].map(({ userId }) => userId);
    const others = data.flatMap((each: Json) => each.participant_ids).filter((id: string) => !demo.includes(id));
    const other = { ...sandbox.ada, userId: others[0] };
    expect((await ada.say(other, 'Canary: is the kettle on?')).status).toBe(201);
    await until(async () => {
      const [newest] = (await ada.events(other, '?max_results=1')).body.data;
      expect(newest.sender_id).toBe(other.userId);
    });
    const opened = await ada.reads(other);
    expect(opened.filter((each) => !each.ok && each.reason !== 'deleted')).toEqual([]);
    const said = await ada.readsTexts(other);
    expect(said).toContain('Canary: is the kettle on?');

    const kept = readdirSync(dataDir, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(kept.length).toBeGreaterThan(0);
    for (const text of [...said, 'Canary'])
      expect(
        kept.some((bytes) => bytes.includes(text)),
        text,
      ).toBe(false);
  });

  test('send the messages of `POST /control/messages`, damaged if requested', async () => {
    const account = await sandbox.mint();
    const reader = new ChatClient(sandbox.url, account, 'minted:0');
    const say = (more: object) => sandbox.control('messages', { from: 'grace', to: account.userName, ...more });
    expect((await say({ text: 'Whole' })).status).toBe(201);
    await say({ text: 'Broken', corrupt: true });
    await say({ kind: 'reaction_added', emoji: '👍' }).then(({ status }) => expect(status).toBe(400));
    await say({ kind: 'edit', text: 'Mended' });
    await say({ kind: 'deletion' });
    const opened = await reader.reads(sandbox.grace);
    const kinds = opened.map((each) => (each.ok ? each.value.kind : each.reason));
    expect(kinds).toEqual(['delete', 'edit', expect.stringMatching(/^(corrupt|bad_signature)$/), 'deleted']);
  });
});
